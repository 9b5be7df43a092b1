/** The grid of all games, as small boards, and the moves of one. */
import { Board, still } from './board.js';
import { cellsOf, moveNumber } from './chess.js';
import { clockText, remaining } from './clocks.js';
import { getLines } from './connection.js';
import { arrows, html, keyed, LIST, setText } from './dom.js';
import { ownColor } from './state.js';
import { moveOf, sanOf, standing } from './words.js';

/** @typedef {import('./state.js').Game} Game */
/** @typedef {{game: Game | null, board: Board, standing: Element, clocks: {black: Element, white: Element}}} Card */

/** Own games first, then those in progress, then finished ones; the newest first in each. @param {Game} game */
const rank = (game) => (game.result || !game.followed || game.stale ? 2 : game.own ? 0 : 1);

export class Games {
    /** @param {HTMLElement} host @param {(key: string) => void} choose */
    constructor(host, choose) {
        this.host = host;
        this.choose = choose;
        arrows(host, LIST);
        /** @type {WeakMap<Element, Card>} */
        this.cards = new WeakMap();
        this.due = 0;
    }

    /** @param {Iterable<Game>} all @param {Game | null} shown @param {number} now */
    render(all, shown, now) {
        // Small boards follow 20 times a second, however many moves there are.
        if (performance.now() < this.due) return;
        this.due = performance.now() + 50;
        const games = [...all].filter((game) => game.board);
        games.sort((a, b) => rank(a) - rank(b) || (rank(a) === 2 ? b.changed - a.changed : (a.number ?? 0) - (b.number ?? 0)));
        keyed(this.host, games, (game) => game.key, (game) => this.make(game), (element, game) => this.update(element, game, shown, now));
    }

    /** @param {Game} game */
    make(game) {
        const part = (/** @type {string} */ name, text = '') => html('span', { class: name }, text);
        const [frame, standing, black, white] = ['frame', 'standing', 'clock', 'clock'].map((name) => part(name));
        const top = html('span', { class: 'player' }, part('name', game.black), black);
        const bottom = html('span', { class: 'player' }, part('name', game.white), white);
        const choose = () => this.choose(game.key);
        const element = html('button', { class: 'card', 'data-game': String(game.number), click: choose }, top, frame, bottom, standing);
        this.cards.set(element, { game: null, board: new Board(frame, true), standing, clocks: { black, white } });
        return element;
    }

    /** @param {HTMLElement} element @param {Game} game @param {Game | null} shown @param {number} now */
    update(element, game, shown, now) {
        const card = this.cards.get(element);
        if (!card || !game.board) return;
        element.setAttribute('aria-pressed', String(game === shown));
        element.tabIndex = game === shown ? 0 : -1;
        for (const side of /** @type {const} */ (['white', 'black'])) setText(card.clocks[side], clockText(remaining(game, side, now)));
        if (card.game === game) return;
        card.game = game;
        const own = ownColor(game);
        const flip = own ? own === 'black' : Boolean(game.board.flip);
        card.board.show(still(cellsOf(game.board.fen), { flip, last: game.board.last_move?.uci ?? null }));
        const over = rank(game) === 2;
        const move = `${game.own ? '★ ' : ''}${game.number ?? ''}: ${moveOf(game.board, game.plies.at(-1)?.ply ?? 0)}`;
        setText(card.standing, over ? `${move} ${standing(game)}` : move);
        element.classList.toggle('over', over);
        element.classList.toggle('flipped', flip);
    }
}

/** The list of moves: each is a button that shows the position after it. */
export class Moves {
    /** @param {HTMLElement} host @param {(ply: number | null) => void} step */
    constructor(host, step) {
        this.host = host;
        this.step = step;
        /** @type {import('./state.js').Ply[] | undefined} */
        this.plies = undefined;
        /** @type {number | null} */
        this.shown = null;
    }

    /** @param {Game | null} game @param {number | null} shown null for the newest */
    render(game, shown) {
        if (game?.plies === this.plies && shown === this.shown) return;
        this.plies = game?.plies;
        this.shown = shown;
        const plies = game?.plies ?? [];
        const current = shown ?? plies.at(-1)?.ply;
        const make = (/** @type {import('./state.js').Ply} */ it) => html('button', { tabindex: -1, click: () => this.step(it.ply) });
        keyed(this.host, plies, (it) => `${game?.key}.${it.ply}`, make, (button, it) => {
            const index = plies.indexOf(it);
            const move = it.board.last_move;
            const gap = index > 0 && plies[index - 1].ply !== it.ply - 1 ? '… ' : '';
            const number = it.ply % 2 || index === 0 || gap ? `${moveNumber(it.ply)} ` : '';
            setText(button, move ? `${gap}${number}${sanOf(it.board)}` : 'Start');
            button.title = gap ? 'moves before this one are missing' : '';
            button.setAttribute('aria-current', String(it.ply === current));
        });
        const now = /** @type {HTMLElement | null} */ (this.host.querySelector('[aria-current=true]'));
        if (now) {
            this.host.scrollTop = now.offsetTop - this.host.clientHeight / 2;
            this.host.scrollLeft = now.offsetLeft - this.host.clientWidth / 2;
        }
    }
}

/** @type {Map<string, string>} names of openings by their moves; empty until they are loaded */
const openings = new Map();

/** Loads the names of openings. */
export async function loadOpenings() {
    for (const [moves, name] of (await getLines('openings.txt')).map((line) => line.split(': '))) openings.set(moves, name);
}

/** The opening of a game that was seen from its start. @param {Game} game */
export function openingOf(game) {
    const moves = game.plies.filter((it) => it.ply > 0).slice(0, 14);
    if (moves[0]?.ply !== 1 || (game.info?.variant ?? 'chess') !== 'chess') return '';
    const words = moves.map((it) => sanOf(it.board).replace(/[+#!?]/g, ''));
    const found = words.map((_, n) => moves[n].ply === n + 1 && openings.get(words.slice(0, n + 1).join(' ')));
    return found.findLast(Boolean) || '';
}
