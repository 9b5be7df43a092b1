/** The page: joins the connection, the state and the views. */
import { Board, still } from './board.js';
import { cellsOf, checkedKing, describe, material, moveCommand, moveNumber, other, play } from './chess.js';
import { clockText, duration, remaining, running, standing } from './clocks.js';
import { Connection, getGame } from './connection.js';
import { arrows, byId, html, keyed, pieceRow, pictureOf, ROW, setText, svg } from './dom.js';
import { Games, Moves, Openings } from './games.js';
import { charts, draw } from './graphs.js';
import { Inspector } from './inspector.js';
import { defaultGame, initial, ownColor, reduce, terms } from './state.js';
import { Talk } from './talk.js';
import { Timeline } from './timeline.js';

/** @typedef {import('./chess.js').Color} Color */
/** @typedef {import('./state.js').Game} Game */

let state = initial();
/** @type {import('./state.js').Action[]} */
let queue = [];
/** What the viewer chose: a game, a ply of it (null for the newest), and a move that waits for the server or for the opponent. */
const view = {
    game: /** @type {string | null} */ (null), ply: /** @type {number | null} */ (null), flipped: new Set(), tab: 'games',
    pending: /** @type {{key: string, ply: number, uci: string} | null} */ (null), premove: /** @type {{key: string, uci: string} | null} */ (null),
};
const connection = new Connection((action) => { queue.push(action); schedule(); });
const board = new Board(byId('board'));
const games = new Games(byId('games-grid'), (key) => show(key));
const moves = new Moves(byId('move-list'), (ply) => step(ply));
const talk = new Talk(byId('talk-tabs'), byId('talk-log'), (tab) => { queue.push({ type: 'read', tab }); schedule(); });
const inspector = new Inspector();
const openings = new Openings();
const timeline = new Timeline((body) => state.tokens.control && connection.post(state.tokens.control, body));
/** @type {Set<string>} games whose earlier moves were requested */
const requested = new Set();
let scheduled = false;
let graphsDue = 0;

/** Draws with the next frame; a hidden page, which has none, keeps up once a second. */
function schedule() {
    if (!scheduled) {
        scheduled = true;
        document.hidden ? setTimeout(frame, 1000) : requestAnimationFrame(frame);
    }
}

function frame() {
    scheduled = false;
    const before = state;
    if (queue.length) state = reduce(state, queue);
    const reset = queue.some((action) => action.type === 'reset');
    queue = [];
    if (reset) {
        requested.clear();
        Object.assign(view, { pending: null, premove: null });
        // Keys of games do not outlive a reset, but the viewer's choice does.
        const chosen = view.game && before.games.get(view.game);
        view.game = chosen ? ([...state.games.values()].find((it) => it.number === chosen.number && it.white === chosen.white)?.key ?? null) : null;
    }
    render(before);
}

const announce = (/** @type {string} */ text) => setText(byId('announce'), text);
const shown = () => (view.game && state.games.get(view.game)) || defaultGame(state);

/** @param {string} key */
function show(key) {
    Object.assign(view, { game: key, ply: null });
    schedule();
    byId('board').scrollIntoView({ block: 'nearest' });
}

/** @param {number | null} ply */
function step(ply) {
    const last = shown()?.plies.at(-1)?.ply;
    view.ply = ply === last ? null : ply;
    schedule();
}

/** @param {number} by plies, or ±Infinity for an end */
function stepBy(by) {
    const plies = shown()?.plies ?? [];
    const now = view.ply === null ? plies.length - 1 : plies.findIndex((it) => it.ply === view.ply);
    step(plies[Math.min(Math.max(now + by, 0), plies.length - 1)]?.ply ?? null);
}

/** Sends a line, and shows why it was not sent or not done. @param {string} command @param {number | null} [game] */
async function send(command, game = null) {
    const answer = await connection.send(command, state.tokens.write ?? '', game);
    const failed = answer?.event === 'failed' ? answer.text : answer?.kind === 'refused' ? answer.content.text || answer.content.reason : null;
    setText(byId('refusal'), failed === null ? '' : `${command}: ${failed}`);
    if (failed !== null) {
        view.pending = null;
        schedule();
    }
}

board.announce = announce;
board.onMove = (/** @type {string} */ uci) => {
    const game = shown();
    if (!game?.board) return;
    if (board.input?.premove) {
        view.premove = { key: game.key, uci };
        announce(`premove ${uci}`);
    } else {
        makeMove(game, uci);
    }
    schedule();
};

/** @param {Game} game @param {string} uci */
function makeMove(game, uci) {
    view.pending = { key: game.key, ply: game.plies.at(-1)?.ply ?? 0, uci };
    send(moveCommand(cellsOf(game.board?.fen), uci), game.number);
}

/** Who may move on the board that is shown. @param {Game | null} game @returns {import('./board.js').Input | null} */
function inputOf(game) {
    if (!game?.board || !state.tokens.write || game.result || game.stale || view.ply !== null || view.pending) return null;
    const legal = game.legal?.fen === game.board.fen ? (game.legal?.moves ?? null) : null;
    const color = game.board.relation === 2 ? /** @type {Color} */ (game.board.side_to_move) : ownColor(game);
    return color && { color, premove: game.board.relation === -1, legal };
}

/** Plays a premove once it is legal, and drops it otherwise. */
function playPremove() {
    const game = view.premove && state.games.get(view.premove.key);
    if (!view.premove || !game || game.result || game.stale) {
        view.premove = null;
    } else if (game.board?.relation === 1 && game.legal && game.legal.fen === game.board.fen) {
        const { uci } = view.premove;
        const legal = game.legal.moves;
        view.premove = null;
        if (!legal || legal.includes(uci)) {
            makeMove(game, uci);
        } else {
            announce(`premove ${uci} is not legal`);
        }
    }
}

/** @param {import('./state.js').State} before */
function render(before) {
    // The viewer's own game comes before what was chosen: when it begins, and when its next board arrives.
    const newest = state.games.get(state.newest ?? '');
    if (newest?.own && !before.games.has(newest.key)) view.game = null;
    const game = shown();
    if (game?.own && before.games.get(game.key)?.board !== game.board) view.ply = null;
    const now = connection.now();
    if (view.pending && state.games.get(view.pending.key)?.plies.at(-1)?.ply !== view.pending.ply) view.pending = null;
    playPremove();
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
    const ply = view.ply === null ? game?.plies.at(-1) : game?.plies.find((it) => it.ply === view.ply);
    const position = ply?.board ?? game?.board;
    byId('pane').className = [game?.stale || view.ply !== null ? 'old' : '', position ? '' : 'empty'].join(' ');
    if (!game || !position) {
        drawnBoard = [];
        board.show(still(cellsOf('')));
        setText(byId('status'), 'No board yet.');
        setText(byId('result'), '');
        return;
    }
    if (!game.complete && game.number !== null && !requested.has(game.key)) {
        requested.add(game.key);
        getGame(game.number).then((events) => { queue.push({ type: 'history', key: game.key, events }); schedule(); });
    }
    const pending = view.pending?.key === game.key && view.ply === null ? view.pending.uci : null;
    const cells = pending ? play(cellsOf(position.fen), pending) : cellsOf(position.fen);
    const turn = /** @type {Color} */ (position.side_to_move);
    const variant = game.info?.variant;
    const check = ['suicide', 'atomic', 'losers'].includes(variant) && variant !== 'losers' ? -1 : checkedKing(cells, turn);
    const own = ownColor(game);
    const flip = (own ? own === 'black' : Boolean(position.flip)) !== view.flipped.has(game.key);
    const input = inputOf(game);
    const drawn = [position, pending, flip, view.premove, input?.premove, input?.color, input?.legal, input === null].map((it) => it ?? null);
    if (drawn.some((it, index) => it !== drawnBoard[index])) {
        drawnBoard = drawn;
        const premove = view.premove?.key === game.key ? view.premove.uci : null;
        board.show(still(cells, { flip, last: pending ?? position.last_move?.uci ?? null, check, premove }), input);
        setText(byId('board-text'), describe(cells));
    }
    const { taken, balance } = material(cells);
    const bottom = flip ? 'black' : 'white';
    for (const [id, color] of /** @type {[string, Color][]} */ ([['top', other(bottom)], ['bottom', bottom]])) {
        renderPlayer(byId(id), game, position, color, taken[color], (color === 'white' ? balance : -balance), now, input);
    }
    const move = position.last_move ? `${moveNumber(ply?.ply ?? 0)} ${position.last_move.san ?? position.last_move.uci ?? '?'}` : 'start position';
    const lines = [`Game ${game.number ?? ''} ${terms({ ...position, ...game.info })}`, move, view.ply === null ? standing(game) : 'earlier position', check >= 0 ? 'check' : '',
        openings.of(game), view.premove ? `premove ${view.premove.uci}` : '', game.analysis ? evaluationText(game) : ''];
    setText(byId('status'), lines.filter(Boolean).join(' · '));
    byId('game-pgn').setAttribute('href', game.number === null ? 'games.pgn' : `game/${game.number}.pgn`);
    byId('export-game').setAttribute('value', String(game.number ?? ''));
    byId('cancel').hidden = !view.premove;
    byId('own').hidden = !own || !state.tokens.write;
    document.title = game.board?.relation === 1 && own ? '● your move – kibitzer' : 'kibitzer';
    setText(byId('result'), game.result ? `${game.result.result} ${game.result.text ?? ''}` : '');
}
/** @type {unknown[]} */
let drawnBoard = [];

/** @param {Game} game */
function evaluationText(game) {
    const last = game.evaluations.at(-1);
    const score = last?.mate != null ? `mate in ${last.mate}` : `${(last?.cp ?? 0) >= 0 ? '+' : ''}${((last?.cp ?? 0) / 100).toFixed(2)}`;
    return `engine ${score} depth ${game.analysis?.depth ?? '–'}: ${[game.analysis?.line ?? []].flat().slice(0, 4).join(' ')}`;
}

/** @param {HTMLElement} row @param {Game} game @param {import('./state.js').ServerEvent} position @param {Color} color @param {string} taken @param {number} balance
 *  @param {number} now @param {import('./board.js').Input | null} input */
function renderPlayer(row, game, position, color, taken, balance, now, input) {
    const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (row.querySelector(`.${name}`));
    const rating = game.info?.[`${color}_rating`];
    setText(part('name'), `${color === 'white' ? '○' : '●'} ${game[color]}${rating ? ` ${rating}` : ''}`);
    const ms = view.ply === null ? remaining(game, color, now) : position[`${color}_clock_ms`];
    const runs = view.ply === null && running(game) === color;
    setText(part('clock'), clockText(ms, true));
    part('clock').classList.toggle('running', runs && state.line.rate > 0 && !connection.silent());
    part('clock').classList.toggle('low', runs && ms !== null && ms < 10_000);
    const reserve = view.ply === null ? (game.reserve?.[color] ?? position[`${color}_reserve`]) : position[`${color}_reserve`];
    const held = reserve !== null && reserve !== undefined && (reserve !== '' || ['crazyhouse', 'bughouse'].includes(game.info?.variant));
    const drops = held && input?.color === color;
    const letters = held ? [...reserve].sort().join('') : taken;
    const key = [letters, color, held, drops, balance].join();
    if (row.dataset.drawn === key) return;
    row.dataset.drawn = key;
    // A reserve holds the side's own pieces; taken pieces are the opponent's.
    const cased = (/** @type {string} */ it) => (color === 'white' ? it.toUpperCase() : it.toLowerCase());
    if (!drops) {
        const pieces = held ? [...letters].map(cased).join('') : letters;
        part('held').replaceChildren(...(pieces ? [pieceRow(pieces, `${held ? 'in reserve' : 'taken'}: ${pieces}`)] : []), !held && balance > 0 ? `+${balance}` : '');
        return;
    }
    const buttons = [...new Set(letters)].map((role) => {
        const n = [...letters].filter((it) => it === role).length;
        const picture = svg('svg', { viewBox: '0 0 100 100', 'aria-hidden': 'true' }, pictureOf(cased(role), { width: 100, height: 100 }));
        const pick = (/** @type {PointerEvent} */ event) => { event.preventDefault(); board.drop(role, event); };
        return html('button', { 'aria-label': `drop ${role}, ${n} in reserve`, pointerdown: pick, click: () => board.drop(role) }, picture, n > 1 ? String(n) : '');
    });
    part('held').replaceChildren(...buttons);
}

/** The state of the line. @param {import('./state.js').State} before */
function renderLine(before) {
    const { line, source, restored } = state;
    const page = connection.silent();
    const quiet = line.silent_ms >= 2000 ? `, silent for ${duration(line.silent_ms)}` : '';
    const again = line.retry_in_ms === null ? '' : `, reconnecting in ${duration(line.retry_in_ms)}`;
    const words = page ? 'no connection to kibitzer; boards and clocks are old' : `${line.state === 'live' ? 'connected' : line.state.replace('_', ' ')}${quiet}${again}${line.text ? `: ${line.text}` : ''}`;
    setText(byId('line'), `${page ? '✕' : ({ live: '●', playing: '▶', paused: '❚❚' }[line.state] ?? '○')} ${words}`);
    byId('line').dataset.state = page ? 'lost' : line.state;
    setText(byId('source'), [source.name, source.handle].filter(Boolean).join(' · '));
    const last = (/** @type {import('./state.js').Sample[]} */ samples) => samples.at(-1)?.value;
    const trip = last(state.roundTrips);
    const lag = last(state.lags);
    setText(byId('times'), [trip === undefined ? '' : `round trip ${Math.round(trip)} ms`, lag === undefined ? '' : `lag ${Math.round(lag)} ms`].filter(Boolean).join(', '));
    const failures = [...(restored?.settings ?? []), ...(restored?.requests ?? []), ...(restored?.seeks ?? [])].filter((it) => it.error !== null);
    const changed = (restored?.games ?? []).map((/** @type {any} */ it) => `game ${it.was} ${it.outcome}${it.plies ? ` by ${it.plies} plies` : ''}${it.moves_missing ? ', moves are missing' : ''}`);
    const lost = [...changed, ...failures.map((it) => `${it.command}: ${it.error}`)].join('; ') || 'nothing was lost';
    setText(byId('restored'), restored ? `Restored after ${duration(restored.offline_ms)}: ${lost}.` : state.missed ? `${state.missed} events were not shown: this page was too slow.` : '');
    if (before.tokens !== state.tokens) document.body.classList.toggle('writes', Boolean(state.tokens.write));
    if (before.line.state !== line.state) announce(words);
}

/** Announces moves and ends, and asks what waits for an answer. @param {import('./state.js').State} before @param {Game | null} game */
function renderNews(before, game) {
    const old = game && before.games.get(game.key);
    if (game?.board && old && old.board !== game.board && game.board.last_move) {
        const side = game.board.side_to_move === 'white' ? 'Black' : 'White';
        announce(`${side}: ${moveNumber(game.plies.at(-1)?.ply ?? 0)} ${game.board.last_move.san ?? game.board.last_move.uci}`);
    }
    if (game?.result && old && !old.result) announce(`${game.result.result} ${game.result.text ?? ''}`);
    if (before.questions !== state.questions || before.tokens !== state.tokens) {
        keyed(byId('questions'), state.questions, (it) => `${it.key} ${it.text}`, (it) => html('p', {}, html('span', {}, it.text), ...(state.tokens.write ? [
            html('button', { click: () => send(it.accept) }, 'Accept'), html('button', { click: () => send(it.decline) }, 'Decline')] : [])));
    }
}

/** @param {string} name */
function choose(name) {
    view.tab = name;
    for (const tab of byId('tabs').querySelectorAll('button')) {
        const on = tab.dataset.tab === name;
        tab.setAttribute('aria-selected', String(on));
        tab.tabIndex = on ? 0 : -1;
        byId(`${tab.dataset.tab}`).hidden = !on;
    }
    graphsDue = 0;
    inspector.drawn = undefined;
    talk.drawn = undefined;
    schedule();
}

/** @param {string} id @param {() => string} prefix */
function sendsFrom(id, prefix) {
    byId(id).addEventListener('submit', (event) => {
        event.preventDefault();
        const input = /** @type {HTMLInputElement} */ (/** @type {HTMLElement} */ (event.target).querySelector('input'));
        const line = input.value.trim();
        if (line) {
            send(prefix() + line);
            input.value = '';
        }
    });
}

/** @param {number} by */
function nextGame(by) {
    const keys = [...state.games.values()].filter((it) => it.board).map((it) => it.key);
    const now = shown()?.key;
    if (keys.length && now) show(keys[(keys.indexOf(now) + by + keys.length) % keys.length]);
}

const flip = () => {
    const key = shown()?.key;
    if (key) view.flipped.has(key) ? view.flipped.delete(key) : view.flipped.add(key);
    schedule();
};
const actions = /** @type {Record<string, () => void>} */ ({
    first: () => stepBy(-Infinity), previous: () => stepBy(-1), next: () => stepBy(1), last: () => step(null), flip,
    newest: () => { Object.assign(view, { game: null, ply: null }); schedule(); },
    theme: () => { document.documentElement.classList.toggle(matchMedia('(prefers-color-scheme: dark)').matches ? 'light' : 'dark'); },
    help: () => /** @type {HTMLDialogElement} */ (byId('keys')).showModal(), draw: () => send('draw', shown()?.number), takeback: () => send('takeback 2', shown()?.number),
    resign: () => { if (confirm('Resign this game?')) send('resign', shown()?.number); }, cancel: () => { view.premove = null; schedule(); },
});
for (const button of document.querySelectorAll('button[data-do]')) {
    button.addEventListener('click', () => actions[/** @type {HTMLElement} */ (button).dataset.do ?? '']());
}
const KEYS = /** @type {Record<string, () => void>} */ ({
    ArrowLeft: actions.previous, ArrowRight: actions.next, Home: actions.first, End: actions.last, f: flip, '[': () => nextGame(-1), ']': () => nextGame(1), '?': actions.help,
    Escape: actions.cancel, m: () => byId('command').focus(), b: () => byId('board').focus(),
    p: () => byId(state.line.state === 'playing' ? 'pause' : 'play').click(), s: () => byId('step').click(), a: () => byId('back').click(),
});
document.addEventListener('keydown', (event) => {
    const typing = /** @type {HTMLElement} */ (event.target).closest('input, select, textarea, dialog');
    if (!typing && !event.ctrlKey && !event.metaKey && !event.altKey && KEYS[event.key]) {
        event.preventDefault();
        KEYS[event.key]();
    }
});
byId('tabs').addEventListener('click', (event) => {
    const tab = /** @type {HTMLElement} */ (event.target).closest('button');
    if (tab?.dataset.tab) choose(tab.dataset.tab);
});
arrows(byId('tabs'), ROW, (tab) => choose(tab.dataset.tab ?? ''));
sendsFrom('command-form', () => '');
sendsFrom('talk-form', () => `${talk.shown(state)?.command ?? ''} `);
choose('games');
// Clocks show tenths, and the age of the line grows, between events.
setInterval(schedule, 100);
