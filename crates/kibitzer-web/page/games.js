/** The grid of all games, as small boards, and the moves of one. */
import { Board, still } from './board.js';
import { cellsOf, moveNumber } from './chess.js';
import { clockText, remaining, standing } from './clocks.js';
import { arrows, html, keyed, LIST, setText } from './dom.js';
import { ownColor } from './state.js';

/** @typedef {import('./state.js').Game} Game */

/** Own games first, then those in progress, then finished ones; the newest first in each. @param {Game} game */
const rank = (game) => (game.result || !game.followed || game.stale ? 2 : game.own ? 0 : 1);

export class Games {
    /** @param {HTMLElement} host @param {(key: string) => void} choose */
    constructor(host, choose) {
        this.host = host;
        this.choose = choose;
        arrows(host, LIST);
        /** @type {Map<string, {game: Game | null, board: Board, clocks: HTMLElement[]}>} */
        this.cards = new Map();
    }

    /** @param {Iterable<Game>} all @param {Game | null} shown @param {number} now */
    render(all, shown, now) {
        const games = [...all].filter((game) => game.board);
        games.sort((a, b) => rank(a) - rank(b) || (rank(a) === 2 ? b.changed - a.changed : (a.number ?? 0) - (b.number ?? 0)));
        keyed(this.host, games, (game) => game.key, (game) => this.make(game), (element, game) => this.update(element, game, shown, now));
        for (const key of this.cards.keys()) {
            if (!games.some((game) => game.key === key)) this.cards.delete(key);
        }
    }

    /** @param {Game} game */
    make(game) {
        const part = (/** @type {string} */ name) => html('span', { class: name });
        const rows = ['black', 'white'].map(() => [part('name'), part('clock')]);
        const frame = part('frame');
        const row = (/** @type {HTMLElement[]} */ cells) => html('span', { class: 'player' }, ...cells);
        this.cards.set(game.key, { game: null, board: new Board(frame, true), clocks: rows.map((cells) => cells[1]) });
        return html('button', { class: 'card', click: () => this.choose(game.key) }, row(rows[0]), frame, row(rows[1]), part('standing'));
    }

    /** @param {HTMLElement} element @param {Game} game @param {Game | null} shown @param {number} now */
    update(element, game, shown, now) {
        const card = this.cards.get(game.key);
        if (!card || !game.board) return;
        element.setAttribute('aria-pressed', String(game === shown));
        element.tabIndex = game === shown ? 0 : -1;
        if (card.game !== game) {
            const { board } = game;
            const own = ownColor(game);
            const flip = own ? own === 'black' : Boolean(board.flip);
            card.game = game;
            card.board.show(still(cellsOf(board.fen), { flip, last: board.last_move?.uci ?? null }));
            const names = [...element.querySelectorAll('.name')];
            [flip ? 'white' : 'black', flip ? 'black' : 'white'].forEach((color, index) => setText(names[index], color === 'white' ? game.white : game.black));
            const move = board.last_move ? `${moveNumber(game.plies.at(-1)?.ply ?? 0)} ${board.last_move.san ?? board.last_move.uci ?? '?'}` : 'start';
            const note = game.result || game.stale || !game.followed ? ` ${standing(game)}` : '';
            setText(/** @type {Element} */ (element.querySelector('.standing')), `${game.own ? '★ ' : ''}${game.number ?? ''}: ${move}${note}`);
            element.dataset.game = String(game.number);
            element.classList.toggle('over', rank(game) === 2);
            card.clocks.forEach((clock, index) => { clock.dataset.color = (index === 0) === flip ? 'white' : 'black'; });
        }
        card.clocks.forEach((clock) => setText(clock, clockText(remaining(game, clock.dataset.color === 'white' ? 'white' : 'black', now))));
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
        keyed(this.host, plies, (it) => `${game?.key}.${it.ply}`, (it) => html('button', { tabindex: -1, click: () => this.step(it.ply) }), (button, it) => {
            const index = plies.indexOf(it);
            const move = it.board.last_move;
            const gap = index > 0 && plies[index - 1].ply !== it.ply - 1 ? '… ' : '';
            const number = it.ply % 2 || index === 0 || gap ? `${moveNumber(it.ply)} ` : '';
            setText(button, move ? `${gap}${number}${move.san ?? move.uci ?? '?'}` : 'Start');
            button.title = gap ? 'moves before this one are missing' : '';
            button.toggleAttribute('aria-current', it.ply === current);
        });
        const now = /** @type {HTMLElement | null} */ (this.host.querySelector('[aria-current]'));
        if (now) {
            this.host.scrollTop = now.offsetTop - this.host.clientHeight / 2;
            this.host.scrollLeft = now.offsetLeft - this.host.clientWidth / 2;
        }
    }
}

/** The names of openings, by their moves. */
export class Openings {
    constructor() {
        /** @type {Map<string, string>} */
        this.names = new Map();
        fetch('openings.txt').then((answer) => answer.text()).then((text) => {
            this.names = new Map(text.split('\n').filter(Boolean).map((line) => /** @type {[string, string]} */ (line.split(': '))));
        });
    }

    /** @param {Game} game */
    of(game) {
        const normal = !game.info?.variant || game.info.variant === 'chess';
        const moves = game.plies.filter((it) => it.ply > 0).slice(0, 14);
        if (!normal || moves[0]?.ply !== 1) return '';
        const words = moves.map((it) => (it.board.last_move?.san ?? '?').replace(/[+#!?]/g, ''));
        for (let n = words.length; n > 0; n--) {
            const name = moves[n - 1].ply === n && this.names.get(words.slice(0, n).join(' '));
            if (name) return name;
        }
        return '';
    }
}
