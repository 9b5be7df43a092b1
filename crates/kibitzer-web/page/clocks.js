/** Clocks of a game: they run between boards with the time of the session, and stand still where that does. */

/** @typedef {import('./chess.js').Color} Color */

/** The side whose clock runs. @param {import('./state.js').Game} game @returns {Color | null} */
export function running(game) {
    const board = game.clocks ?? game.board;
    return board?.clock_running && !game.result && game.followed && !game.stale ? board.side_to_move : null;
}

/**
 * The remaining time of a side, in milliseconds.
 *
 * @param {import('./state.js').Game} game @param {Color} color @param {number} now time of the session in seconds
 */
export function remaining(game, color, now) {
    const board = game.clocks ?? game.board;
    const clock = board?.[`${color}_clock_ms`] ?? null;
    return clock !== null && typeof board?.t === 'number' && running(game) === color ? clock - Math.max(0, now - board.t) * 1000 : clock;
}

/** Writes a clock as `1:02:03`, `2:03`, or `0:09.8` below ten seconds. @param {number | null} ms @param {boolean} [tenths] */
export function clockText(ms, tenths = false) {
    if (ms === null) return '–';
    const sign = ms < 0 ? '−' : '';
    const short = tenths && Math.abs(ms) < 10_000;
    const total = short ? Math.floor(Math.abs(ms) / 100) / 10 : Math.floor(Math.abs(ms) / 1000);
    const [hours, minutes, seconds] = [Math.floor(total / 3600), Math.floor(total / 60) % 60, total % 60];
    const tail = (short ? seconds.toFixed(1) : String(seconds)).padStart(short ? 4 : 2, '0');
    return hours ? `${sign}${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${sign}${minutes}:${tail}`;
}
