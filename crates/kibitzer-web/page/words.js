/** The state of games and of the line in words, for people and screen readers. */
import { moveNumber } from './chess.js';
import { terms } from './state.js';

/** @typedef {import('./state.js').Game} Game */
/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').ServerEvent} ServerEvent */

/** A duration: `7 s`, `2 min`. @param {number} ms */
export const duration = (ms) =>
    ms < 1000 ? `${Math.round(ms)} ms` : ms < 120_000 ? `${Math.floor(ms / 1000)} s` : `${Math.floor(ms / 60_000)} min`;

/** The parts that are not empty, in a row. @param {(string | false | null | undefined)[]} parts @param {string} between */
const join = (parts, between) => parts.filter(Boolean).join(between);

/** The move of a board, without its number. @param {ServerEvent} board */
export const sanOf = (board) => String(board.last_move?.san ?? board.last_move?.uci ?? '?');

/** The move that led to a board: `3. Nf3`. @param {ServerEvent} board @param {number} ply */
export const moveOf = (board, ply) => (board.last_move ? `${moveNumber(ply)} ${sanOf(board)}` : 'start position');

/** @param {Game} game */
export const resultOf = (game) => (game.result ? join([game.result.result, game.result.text ?? game.result.reason], ' ') : '');

/** What keeps a game from being followed, or else who is to move. @param {Game} game */
export function standing(game) {
    if (game.result) return join([game.result.result, game.result.reason], ' ');
    if (game.number === null) return 'printed on request';
    if (!game.followed) return 'no longer observed';
    if (game.stale) return 'old: connection lost';
    return game.board?.relation === 1 ? 'your move' : `${game.board?.side_to_move} to move`;
}

/** The state of a board. @param {Game} game @param {import('./state.js').Ply} ply @param {(string | false | null)[]} more */
export function statusOf(game, ply, more) {
    const now = ply.board === game.board ? standing(game) : 'earlier position';
    const [first] = game.plies;
    const part = game.complete && first.ply > 0 && first.board.last_move && `moves from ${Math.ceil(first.ply / 2)} on`;
    const title = join(['Game', game.number === null ? '' : String(game.number), terms({ ...ply.board, ...game.info })], ' ');
    return join([title, moveOf(ply.board, ply.ply), now, part, ...more], ' · ');
}

/** The newest analysis. @param {Game} game */
export function engineOf({ analysis, evaluations }) {
    if (!analysis) return '';
    const { cp = 0, mate = null } = evaluations.at(-1) ?? {};
    const score = mate === null ? `${(cp ?? 0) < 0 ? '' : '+'}${((cp ?? 0) / 100).toFixed(2)}` : `mate in ${mate}`;
    return `Engine: ${score}, depth ${analysis.depth ?? '–'}: ${[analysis.line ?? []].flat().slice(0, 4).join(' ')}`;
}

/** The state of the line. @param {import('./state.js').Line} line @param {boolean} cut whether the server of the page is silent */
export function lineWords(line, cut) {
    if (cut) return '✕ no connection to kibitzer; boards and clocks are old';
    const sign = { live: '●', playing: '▶', paused: '❚❚' }[line.state] ?? '○';
    const quiet = line.silent_ms >= 2000 ? `, silent for ${duration(line.silent_ms)}` : '';
    const again = line.retry_in_ms === null ? '' : `, reconnecting in ${duration(line.retry_in_ms)}`;
    const name = line.state === 'live' ? 'connected' : line.state.replace('_', ' ');
    return `${sign} ${name}${quiet}${again}${line.text ? `: ${line.text}` : ''}`;
}

/** The newest round trip and lag. @param {State} state */
export function timesOf(state) {
    const [trip, lag] = [state.roundTrips.at(-1), state.lags.at(-1)];
    return join([trip && `round trip ${Math.round(trip.value)} ms`, lag && `lag ${Math.round(lag.value)} ms`], ', ');
}

/** What was lost with a connection, or because the page was slow. @param {State} state */
export function lossOf({ restored, missed }) {
    const slow = missed ? `${missed} events were not shown: this page was too slow.` : '';
    if (!restored) return slow;
    const failed = [restored.settings, restored.requests, restored.seeks].flat().filter((it) => it && it.error !== null);
    const games = (restored.games ?? []).map((/** @type {any} */ it) =>
        `game ${it.was} ${it.outcome}${it.plies ? ` by ${it.plies} plies` : ''}${it.moves_missing ? ', moves are missing' : ''}`);
    const lost = join([...games, ...failed.map((it) => `${it.command}: ${it.error}`)], '; ') || 'nothing was lost';
    return join([`Restored after ${duration(restored.offline_ms)}: ${lost}.`, slow], ' ');
}
