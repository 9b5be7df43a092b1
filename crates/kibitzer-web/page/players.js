/** The two rows beside the board: name, rating, clock, and the pieces that a side holds in reserve or has taken. */
import { clockText, remaining, running } from './clocks.js';
import { byId, html, pieceIcon, pieceRow, setText } from './dom.js';

/** @typedef {import('./chess.js').Color} Color */
/**
 * @typedef {{game: import('./state.js').Game, position: import('./state.js').ServerEvent, newest: boolean, now: number, ticking: boolean,
 *   taken: Record<Color, string>, balance: number, mover: Color | null, drop: (role: string, event?: PointerEvent) => void}} Shown
 * what the rows show: a position, which may not be the newest one of the game; `mover` is the side that the viewer may move
 */

/** @param {string} id @param {Color} color @param {Shown} shown */
export function renderPlayer(id, color, { game, position, newest, now, ticking, taken, balance, mover, drop }) {
    const row = byId(id);
    const part = (/** @type {string} */ name) => /** @type {HTMLElement} */ (row.querySelector(`.${name}`));
    const rating = game.info?.[`${color}_rating`];
    setText(part('name'), `${color === 'white' ? '○' : '●'} ${game[color]}${rating ? ` ${rating}` : ''}`);
    const ms = newest ? remaining(game, color, now) : position[`${color}_clock_ms`];
    const runs = newest && running(game) === color;
    setText(part('clock'), clockText(ms, true));
    part('clock').classList.toggle('running', runs && ticking);
    part('clock').classList.toggle('low', runs && ms !== null && ms < 10_000);
    const reserve = (newest && game.reserve?.[color]) || position[`${color}_reserve`];
    const held = Boolean(reserve) || ['crazyhouse', 'bughouse'].includes(game.info?.variant);
    const drops = held && mover === color;
    // A reserve is in capital letters, of the side's own pieces; taken pieces are the opponent's.
    const own = [...(reserve ?? '')].sort().map((it) => (color === 'white' ? it : it.toLowerCase())).join('');
    const pieces = held ? own : taken[color];
    const ahead = !held && balance > 0 ? `+${balance}` : '';
    const key = [pieces, held, drops, ahead].join();
    if (row.dataset.drawn === key) return;
    row.dataset.drawn = key;
    const content = drops ? [...new Set(pieces)].map((piece) => dropButton(piece, [...pieces].filter((it) => it === piece).length, drop))
        : pieces ? [pieceRow(pieces, `${held ? 'in reserve' : 'taken'}: ${pieces}`)] : [];
    part('held').replaceChildren(...content, ahead);
}

/** A piece that can be dropped. @param {string} piece @param {number} n @param {Shown['drop']} drop */
function dropButton(piece, n, drop) {
    const pointerdown = (/** @type {PointerEvent} */ event) => { event.preventDefault(); drop(piece, event); };
    const label = `drop ${piece.toUpperCase()}, ${n} in reserve`;
    return html('button', { 'aria-label': label, pointerdown, click: () => drop(piece) }, pieceIcon(piece), n > 1 ? String(n) : '');
}
