/** The page: joins the connection, the state and the views. */
import { Board, still } from './board.js';
import { cellsOf, checkedKing, describe, material, moveCommand, other, play } from './chess.js';
import { Connection, getLines } from './connection.js';
import { arrows, byId, dialog, html, input, keyed, ROW, setText } from './dom.js';
import { Games, loadOpenings, Moves, openingOf } from './games.js';
import { charts, draw } from './graphs.js';
import { answerOf, Inspector } from './inspector.js';
import { renderPlayer } from './players.js';
import { defaultGame, initial, ownColor, reduce } from './state.js';
import { Talk } from './talk.js';
import { Timeline } from './timeline.js';
import { engineOf, lineWords, lossOf, moveOf, resultOf, statusOf, timesOf } from './words.js';

/** @typedef {import('./chess.js').Color} Color */
/** @typedef {import('./state.js').Game} Game */
/** @typedef {import('./state.js').State} State */

let state = initial();
/** @type {import('./state.js').Action[]} */
let queue = [];
/** What the viewer chose: a game, a ply of it (null for the newest), and a move that waits for the server or for the opponent. */
const view = {
    game: /** @type {string | null} */ (null), ply: /** @type {number | null} */ (null), flipped: new Set(), tab: 'games',
    pending: /** @type {{key: string, ply: number, uci: string} | null} */ (null),
    premove: /** @type {{key: string, uci: string} | null} */ (null),
};
const connection = new Connection(dispatch);
const board = new Board(byId('board'));
const games = new Games(byId('games-grid'), show);
const moves = new Moves(byId('move-list'), step);
const talk = new Talk(byId('talk-tabs'), byId('talk-log'), (tab) => dispatch({ type: 'read', tab }));
const inspector = new Inspector();
const timeline = new Timeline((body) => state.tokens.control && connection.post(state.tokens.control, body));
/** @type {Set<string>} games whose earlier moves were requested, and after which list of moves */
const requested = new Set();
/** @type {unknown[]} what the board was drawn from */
let drawnBoard = [];
let scheduled = false;
let graphsDue = 0;

/** @param {import('./state.js').Action} action */
function dispatch(action) {
    queue.push(action);
    schedule();
}

/** Draws with the next frame; a hidden page, which has none, keeps up once a second. */
function schedule() {
    if (scheduled) return;
    scheduled = true;
    document.hidden ? setTimeout(frame, 1000) : requestAnimationFrame(frame);
}

function frame() {
    scheduled = false;
    const before = state;
    if (queue.length) state = reduce(state, queue);
    if (queue.some((action) => action.type === 'reset')) {
        requested.clear();
        // Keys of games do not outlive a reset, but the viewer's choice does.
        const old = view.game && before.games.get(view.game);
        const same = old && [...state.games.values()].find((it) => it.number === old.number && it.white === old.white);
        Object.assign(view, { ply: null, pending: null, premove: null, game: same ? same.key : null });
    }
    queue = [];
    render(before);
}

const drop = (/** @type {string} */ role, /** @type {PointerEvent | undefined} */ event) => board.drop(role, event);
const announce = (/** @type {string} */ text) => setText(byId('announce'), text);
const shown = () => (view.game && state.games.get(view.game)) || defaultGame(state);

/** @param {Partial<typeof view>} choice */
function choosing(choice) {
    Object.assign(view, choice);
    schedule();
}

/** @param {string} key */
function show(key) {
    choosing({ game: key, ply: null });
    byId('board').scrollIntoView({ block: 'nearest' });
}

/** @param {number | null} ply */
function step(ply) {
    choosing({ ply: ply === shown()?.plies.at(-1)?.ply ? null : ply });
}

/** @param {number} by plies, or ±Infinity for an end */
function stepBy(by) {
    const plies = shown()?.plies ?? [];
    const now = view.ply === null ? plies.length - 1 : plies.findIndex((it) => it.ply === view.ply);
    step(plies[Math.min(Math.max(now + by, 0), plies.length - 1)]?.ply ?? null);
}

/** Sends a line, and shows why it was not sent or not done. @param {string} command @param {number | null} [game] */
async function send(command, game = null) {
    const answer = await connection.post(state.tokens.write ?? '', { id: ++connection.id, command, ...(game !== null && { game }) });
    const refusal = answer?.kind === 'refused' ? answer.content.text || answer.content.reason : null;
    const failed = answer?.event === 'failed' ? answer.text : refusal;
    setText(byId('refusal'), failed === null ? '' : `${command}: ${failed}`);
    if (failed !== null) view.pending = null;
    byId('answer').replaceChildren(failed === null && answer ? answerOf(answer) : '');
    schedule();
}

/** @param {Game} game @param {string} uci */
function makeMove(game, uci) {
    view.pending = { key: game.key, ply: game.plies.at(-1)?.ply ?? 0, uci };
    send(moveCommand(cellsOf(game.board?.fen), uci), game.number);
}

board.announce = announce;
board.onMove = (/** @type {string} */ uci) => {
    const game = shown();
    if (game && board.input?.premove) {
        view.premove = { key: game.key, uci };
        announce(`premove ${uci}`);
    } else if (game?.board) {
        makeMove(game, uci);
    }
    schedule();
};

/** The legal moves of a game's board; undefined while they are not known yet, null if they never will be. @param {Game} game */
const legalOf = (game) => (game.legal && game.legal.fen === game.board?.fen ? game.legal.moves : undefined);

/** Who may move on the board that is shown. @param {Game} game @returns {import('./board.js').Input | null} */
function inputOf(game) {
    if (!game.board || !state.tokens.write || game.result || game.stale || view.ply !== null || view.pending) return null;
    const color = game.board.relation === 2 ? /** @type {Color} */ (game.board.side_to_move) : ownColor(game);
    return color && { color, premove: game.board.relation === -1, legal: legalOf(game) ?? null };
}

/** Plays a premove once it is legal, and drops it otherwise. */
function playPremove() {
    if (!view.premove) return;
    const { key, uci } = view.premove;
    const game = state.games.get(key);
    const legal = game && legalOf(game);
    if (game && !game.result && !game.stale && (game.board?.relation !== 1 || legal === undefined)) return;
    view.premove = null;
    if (game && !game.result && !game.stale && (legal === null || legal?.includes(uci))) {
        makeMove(game, uci);
    } else {
        announce(`premove ${uci} was dropped`);
    }
}

/** @param {State} before */
function render(before) {
    // The viewer's own game comes before what was chosen: when it begins, and when its next board arrives.
    const newest = state.games.get(state.newest ?? '');
    if (newest?.own && !before.games.has(newest.key)) view.game = null;
    const game = shown();
    if (game?.own && before.games.get(game.key)?.board !== game.board) view.ply = null;
    const waits = view.pending;
    if (waits && state.games.get(waits.key)?.plies.at(-1)?.ply !== waits.ply) view.pending = null;
    playPremove();
    const now = connection.now();
    renderLine(before);
    renderBoard(game, now);
    renderNews(before, game);
    moves.render(game, view.ply);
    const unread = talk.render(state, view.tab === 'talk');
    setText(byId('unread'), unread ? ` (${unread})` : '');
    if (view.tab === 'games') games.render(state.games.values(), game, now);
    inspector.render(state, view.tab === 'stream');
    if (view.tab === 'graphs' && performance.now() > graphsDue) {
        graphsDue = performance.now() + 500;
        byId('charts').replaceChildren(...charts(state, game).map(draw));
    }
    timeline.render(state, now);
}

/** The board with players, clocks, pieces, result. @param {Game | null} game @param {number} now */
function renderBoard(game, now) {
    const last = game?.plies.at(-1);
    const ply = game?.plies.find((it) => it.ply === view.ply) ?? last;
    byId('pane').className = [game?.stale || ply !== last ? 'old' : '', ply ? '' : 'empty'].join(' ');
    setText(byId('result'), game ? resultOf(game) : '');
    if (!game || !ply) {
        drawnBoard = [];
        board.show(still(cellsOf('')));
        setText(byId('status'), 'No board yet.');
        return;
    }
    // A list may arrive together with the answer to an earlier request, after which the game counts as complete.
    if ((!game.complete || game.listed) && game.number !== null && !requested.has(`${game.key} ${game.listed}`)) {
        requested.add(`${game.key} ${game.listed}`);
        getLines(`game/${game.number}.jsonl`).then((lines) => dispatch({ type: 'history', key: game.key, events: lines.map((it) => JSON.parse(it)) }));
    }
    const position = ply.board;
    const pending = view.pending?.key === game.key && ply === last ? view.pending.uci : null;
    const cells = pending ? play(cellsOf(position.fen), pending, position.side_to_move) : cellsOf(position.fen);
    const check = ['suicide', 'atomic'].includes(game.info?.variant) ? -1 : checkedKing(cells, position.side_to_move);
    const own = ownColor(game);
    const flip = (own ? own === 'black' : Boolean(position.flip)) !== view.flipped.has(game.key);
    const mover = inputOf(game);
    const premove = view.premove?.key === game.key ? view.premove.uci : null;
    const drawn = [position, pending, flip, premove, mover?.premove, mover?.color, mover?.legal];
    if (drawn.length !== drawnBoard.length || drawn.some((it, index) => it !== drawnBoard[index])) {
        drawnBoard = drawn;
        board.show(still(cells, { flip, last: pending ?? position.last_move?.uci ?? null, check, premove }), mover);
        setText(byId('board-text'), describe(cells));
    }
    const { taken, balance } = material(cells);
    const ticking = state.line.rate > 0 && !connection.silent();
    const rows = { game, position, newest: ply === last, now, ticking, taken, mover: mover?.color ?? null, drop };
    for (const color of /** @type {Color[]} */ (['white', 'black'])) {
        const row = (color === 'black') === flip ? 'bottom' : 'top';
        renderPlayer(row, color, { ...rows, balance: color === 'white' ? balance : -balance });
    }
    setText(byId('engine'), engineOf(game));
    setText(byId('status'), statusOf(game, ply, [check >= 0 && 'check', openingOf(game), premove && `premove ${premove}`]));
    byId('game-pgn').setAttribute('href', game.number === null ? 'games.pgn' : `game/${game.number}.pgn`);
    byId('export-game').setAttribute('value', String(game.number ?? ''));
    byId('cancel').hidden = !premove;
    byId('own').hidden = !own || !state.tokens.write;
    document.title = game.board?.relation === 1 && own ? '● your move – kibitzer' : 'kibitzer';
}

/** The state of the line. @param {State} before */
function renderLine(before) {
    const cut = connection.silent();
    const words = lineWords(state.line, cut);
    setText(byId('line'), words);
    byId('line').dataset.state = cut ? 'lost' : state.line.state;
    setText(byId('source'), [state.source.name, state.source.handle].filter(Boolean).join(' · '));
    setText(byId('times'), timesOf(state));
    setText(byId('restored'), lossOf(state));
    document.body.classList.toggle('writes', Boolean(state.tokens.write));
    if (before.line.state !== state.line.state) announce(words);
}

/** Announces moves and ends, and asks what waits for an answer. @param {State} before @param {Game | null} game */
function renderNews(before, game) {
    const old = game && before.games.get(game.key);
    if (game?.board && old && old.board !== game.board && game.board.last_move) {
        announce(`${other(game.board.side_to_move)}: ${moveOf(game.board, game.plies.at(-1)?.ply ?? 0)}`);
    }
    if (game?.result && old && !old.result) announce(resultOf(game));
    if (before.questions === state.questions && before.tokens === state.tokens) return;
    keyed(byId('questions'), state.questions, (it) => `${it.key} ${it.text}`, (it) => {
        const yes = html('button', { class: 'write', click: () => send(it.accept) }, 'Accept');
        const no = html('button', { class: 'write', click: () => send(it.decline) }, 'Decline');
        return html('p', {}, html('span', {}, it.text), yes, no);
    });
}

/** Opens a tab. @param {string} name */
function choose(name) {
    for (const tab of byId('tabs').querySelectorAll('button')) {
        const on = tab.dataset.tab === name;
        tab.setAttribute('aria-selected', String(on));
        tab.tabIndex = on ? 0 : -1;
        byId(`${tab.dataset.tab}`).hidden = !on;
    }
    graphsDue = 0;
    for (const list of [inspector, talk]) list.drawn = undefined;
    choosing({ tab: name });
}

/** Sends what is typed in a form. @param {string} id @param {() => string} prefix */
function sendsFrom(id, prefix) {
    byId(id).addEventListener('submit', (event) => {
        event.preventDefault();
        const input = /** @type {HTMLInputElement} */ (byId(id).querySelector('input'));
        if (input.value.trim()) send(prefix() + input.value.trim());
        input.value = '';
    });
}

/** @param {number} by */
function nextGame(by) {
    const keys = [...state.games.values()].filter((it) => it.board).map((it) => it.key);
    if (keys.length) show(keys[(keys.indexOf(shown()?.key ?? '') + by + keys.length) % keys.length]);
}

const flip = () => {
    const key = shown()?.key;
    choosing(view.flipped.delete(key) ? {} : { flipped: view.flipped.add(key) });
};

const about = (/** @type {string} */ command) => () => send(command, shown()?.number);
const actions = /** @type {Record<string, () => void>} */ ({
    first: () => stepBy(-Infinity), previous: () => stepBy(-1), next: () => stepBy(1), last: () => step(null), flip,
    newest: () => choosing({ game: null, ply: null }),
    // The demo has a player who accepts any match.
    play: () => Object.assign(input('command'), { value: state.source.name.startsWith('the embedded server') ? 'match Whetstone 5 0 unrated' : 'seek 5 0' }).focus(),
    theme: () => document.documentElement.classList.toggle(matchMedia('(prefers-color-scheme: dark)').matches ? 'light' : 'dark'),
    help: () => dialog('keys').showModal(), draw: about('draw'), takeback: about('takeback 2'),
    resign: () => confirm('Resign this game?') && about('resign')(), cancel: () => choosing({ premove: null }),
});
document.querySelectorAll('button[data-do]').forEach((it) => it.addEventListener('click', actions[it.getAttribute('data-do') ?? '']));
const KEYS = /** @type {Record<string, () => void>} */ ({
    ArrowLeft: actions.previous, ArrowRight: actions.next, Home: actions.first, End: actions.last, Escape: actions.cancel,
    f: flip, '[': () => nextGame(-1), ']': () => nextGame(1), '?': actions.help,
    m: () => byId('command').focus(), b: () => byId('board').focus(),
    p: () => byId(state.line.state === 'playing' ? 'pause' : 'play').click(), s: () => byId('step').click(), a: () => byId('back').click(),
});
document.addEventListener('keydown', (event) => {
    const typing = /** @type {HTMLElement} */ (event.target).closest('input, select, textarea, dialog');
    if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && KEYS[event.key]) {
        event.preventDefault();
        KEYS[event.key]();
    }
});
byId('tabs').querySelectorAll('button').forEach((tab) => tab.addEventListener('click', () => choose(tab.dataset.tab ?? '')));
arrows(byId('tabs'), ROW, (tab) => choose(tab.dataset.tab ?? ''));
sendsFrom('command-form', () => '');
sendsFrom('talk-form', () => `${talk.shown(state)?.command ?? ''} `);
choose('games');
loadOpenings();
// Clocks show tenths, and the age of the line grows, between events.
setInterval(schedule, 100);
