/** A board as SVG: drawn by us, with pieces that are dragged, clicked or moved by keyboard. */
import { colorOf, pieceName, squareIndex, squareName } from './chess.js';
import { dialog, html, pictureOf, pieceIcon, svg } from './dom.js';

/** @typedef {import('./chess.js').Color} Color */
/** @typedef {{color: Color, premove: boolean, legal: string[] | null}} Input who moves, and the legal moves if they are known */
/** @typedef {{cells: string[], flip: boolean, last: string | null, check: number, marks: string[], premove: string | null}} View */

const SIZE = 100;
const indexes = Array.from({ length: 64 }, (_, index) => index);
const dark = indexes.filter((index) => ((index >> 3) + index) % 2);
const DARK = dark.map((index) => `M${(index % 8) * SIZE} ${(index >> 3) * SIZE}h100v100h-100z`).join('');
const STEPS = new Map(Object.entries({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }));

export class Board {
    /** @param {Element} host @param {boolean} [small] a small board shows no coordinates and accepts no moves */
    constructor(host, small = false) {
        this.marks = svg('g');
        this.pieces = svg('g', { class: 'pieces' });
        this.hints = svg('g');
        this.labels = svg('g', { class: 'coordinates' });
        this.svg = svg('svg', { class: 'squares', viewBox: '0 0 800 800', 'aria-hidden': 'true' },
            svg('rect', { class: 'light', width: 800, height: 800 }), svg('path', { class: 'dark', d: DARK }),
            this.marks, this.labels, this.pieces, this.hints);
        host.append(this.svg);
        this.small = small;
        this.host = /** @type {HTMLElement} */ (host);
        /** @type {(SVGUseElement | null)[]} */
        this.drawn = Array(64).fill(null);
        /** @type {View} */
        this.view = { cells: Array(64).fill(''), flip: false, last: null, check: -1, marks: [], premove: null };
        /** @type {Input | null} */
        this.input = null;
        /** @type {string | null} the square of the chosen piece, or `N@` for a drop */
        this.chosen = null;
        this.cursor = 52;
        this.marked = '';
        /** @type {SVGUseElement | null} */
        this.dragged = null;
        this.onMove = (/** @type {string} */ _uci) => {};
        this.announce = (/** @type {string} */ _text) => {};
        this.coordinates();
        if (!small) {
            this.svg.addEventListener('pointerdown', (event) => this.press(event));
            this.svg.addEventListener('pointermove', (event) => this.drag(event));
            this.svg.addEventListener('pointerup', (event) => this.release(event));
            this.svg.addEventListener('pointercancel', () => this.choose(null));
            host.addEventListener('keydown', (event) => this.key(/** @type {KeyboardEvent} */ (event)));
            for (const type of ['focus', 'blur']) host.addEventListener(type, () => this.hint());
        }
    }

    /** Draws a position: only what differs from the one before. @param {View} view @param {Input | null} [input] */
    show(view, input = null) {
        const turned = view.flip !== this.view.flip;
        const before = this.view.cells;
        this.view = view;
        this.input = input;
        this.host.classList.toggle('playable', input !== null);
        /** @type {Record<string, SVGUseElement[]>} */
        const free = {};
        const changed = indexes.filter((index) => before[index] !== view.cells[index]);
        for (const index of changed) {
            const picture = this.drawn[index];
            if (picture) {
                (free[before[index]] ??= []).push(picture);
                this.drawn[index] = null;
            }
        }
        for (const index of changed.filter((it) => view.cells[it])) {
            const piece = view.cells[index];
            const picture = free[piece]?.pop() ?? this.pieces.appendChild(pictureOf(piece, { width: SIZE, height: SIZE }));
            this.drawn[index] = picture;
            this.place(picture, index);
        }
        Object.values(free).flat().forEach((picture) => picture.remove());
        if (turned) {
            indexes.forEach((index) => this.drawn[index] && this.place(/** @type {SVGUseElement} */ (this.drawn[index]), index));
            this.coordinates();
        }
        if (this.chosen && (!input || (this.chosen[1] !== '@' && !this.mine(squareIndex(this.chosen))))) this.chosen = null;
        this.mark();
        this.hint();
    }

    /** Begins a drop of a piece in reserve. @param {string} role @param {PointerEvent} [event] */
    drop(role, event) {
        if (!this.input) return;
        this.choose(`${role.toUpperCase()}@`);
        if (event) this.svg.setPointerCapture(event.pointerId);
        this.host.focus();
    }

    /** @param {string | null} chosen */
    choose(chosen) {
        if (this.dragged) {
            const index = this.drawn.indexOf(this.dragged);
            this.dragged.classList.remove('dragged');
            this.dragged = null;
            if (index >= 0) this.place(/** @type {SVGUseElement} */ (this.drawn[index]), index);
        }
        this.chosen = chosen;
        this.hint();
    }

    /** The squares that the chosen piece may go to; null if they are not known. */
    targets() {
        const { chosen } = this;
        const legal = (chosen && this.input?.legal) || null;
        return legal && legal.filter((uci) => uci.startsWith(chosen ?? '')).map((uci) => uci.slice(2, 4));
    }

    /** Chooses a piece, or moves the chosen one. @param {number} index */
    async tap(index) {
        const square = squareName(index);
        const { chosen, input } = this;
        const targets = this.targets();
        if (!input) return;
        if (chosen && chosen !== square && (targets ? targets.includes(square) : !this.mine(index) || input.premove)) {
            this.choose(null);
            const uci = await this.promoted(chosen + square, input);
            if (uci) this.onMove(uci);
        } else if (this.mine(index) && chosen !== square) {
            this.choose(square);
            const reach = this.targets();
            this.announce(`${pieceName(this.view.cells[index])} ${square} chosen${reach ? `, ${reach.length} moves` : ''}`);
        } else {
            this.announce(!chosen || chosen === square ? '' : `${chosen}${square} is not legal`);
            this.choose(null);
        }
    }

    /** Asks for the piece of a promotion. @param {string} uci @param {Input} input @returns {Promise<string | null>} */
    promoted(uci, input) {
        const pawn = uci[1] !== '@' && this.view.cells[squareIndex(uci)].toLowerCase() === 'p' && '18'.includes(uci[3]);
        const known = input.legal?.filter((it) => it.startsWith(uci) && it.length > 4).map((it) => it[4]);
        const roles = known ?? (pawn ? [...'qrbn'] : []);
        if (!roles.length) return Promise.resolve(uci);
        const asked = dialog('promotion');
        const buttons = roles.map((role) => {
            const piece = input.color === 'white' ? role.toUpperCase() : role;
            return html('button', { value: role, 'aria-label': pieceName(piece) }, pieceIcon(piece));
        });
        asked.replaceChildren(html('form', { method: 'dialog', 'aria-label': 'Promote to' }, ...buttons));
        asked.returnValue = '';
        asked.showModal();
        return new Promise((resolve) => {
            asked.addEventListener('close', () => resolve(asked.returnValue ? uci + asked.returnValue : null), { once: true });
        });
    }

    /** @param {number} index */
    mine(index) {
        const piece = this.view.cells[index];
        return Boolean(this.input && piece && colorOf(piece) === this.input.color);
    }

    /** Where the pointer is, in squares from the left and from the top. @param {PointerEvent} event */
    spot(event) {
        const box = this.svg.getBoundingClientRect();
        return [((event.clientX - box.left) / box.width) * 8, ((event.clientY - box.top) / box.height) * 8];
    }

    /** @param {PointerEvent} event @returns {number} the square below the pointer, or -1 */
    under(event) {
        const [file, row] = this.spot(event).map(Math.floor);
        return file < 0 || file > 7 || row < 0 || row > 7 ? -1 : this.turn(row * 8 + file);
    }

    /** @param {PointerEvent} event */
    press(event) {
        const index = this.under(event);
        if (event.button !== 0 || !this.input || index < 0) return;
        const square = squareName(index);
        this.pressed = this.chosen === square ? -1 : index;
        this.cursor = index;
        if (this.mine(index) && !this.targets()?.includes(square)) {
            if (this.chosen !== square) this.tap(index);
            this.dragged = this.drawn[index];
            this.dragged?.parentNode?.append(this.dragged);
            this.svg.setPointerCapture(event.pointerId);
        }
    }

    /** @param {PointerEvent} event */
    drag(event) {
        if (!this.dragged) return;
        const [x, y] = this.spot(event);
        this.dragged.classList.add('dragged');
        this.dragged.setAttribute('x', String((x - 0.5) * SIZE));
        this.dragged.setAttribute('y', String((y - 0.5) * SIZE));
    }

    /** @param {PointerEvent} event */
    release(event) {
        const index = this.under(event);
        const moved = this.dragged?.classList.contains('dragged');
        const clicked = index === this.pressed;
        const chosen = this.chosen;
        if (this.dragged) this.choose(chosen);
        // A click on a piece leaves it chosen; a second click on it, or a drag back to its square, does not.
        if (index < 0 || (clicked && moved)) {
            this.choose(null);
        } else if (chosen && !(clicked && chosen === squareName(index))) {
            this.tap(index);
        }
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const step = STEPS.get(event.key);
        // A viewer who clicked on the board steps through the moves; whoever came by keyboard goes over the squares.
        if (step && (this.input || this.host.matches(':focus-visible'))) {
            const shown = this.turn(this.cursor);
            const [file, row] = [(shown % 8) + step[0], (shown >> 3) + step[1]].map((it) => Math.min(Math.max(it, 0), 7));
            this.cursor = this.turn(row * 8 + file);
            const piece = this.view.cells[this.cursor];
            this.announce(`${squareName(this.cursor)} ${piece ? pieceName(piece) : 'empty'}`);
            this.hint();
        } else if (event.key === 'Enter' || event.key === ' ') {
            this.tap(this.cursor);
        } else if (event.key === 'Escape') {
            this.choose(null);
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    }

    /** @param {number} index */
    turn(index) {
        return this.view.flip ? 63 - index : index;
    }

    /** @param {SVGUseElement} picture @param {number} index */
    place(picture, index) {
        const shown = this.turn(index);
        picture.setAttribute('x', String((shown % 8) * SIZE));
        picture.setAttribute('y', String((shown >> 3) * SIZE));
    }

    /** @param {number} index @param {string} className @param {number} inset */
    square(index, className, inset) {
        const shown = this.turn(index);
        const size = SIZE - 2 * inset;
        return svg('rect', { class: className, x: (shown % 8) * SIZE + inset, y: (shown >> 3) * SIZE + inset, width: size, height: size });
    }

    /** Draws what is special about squares: by shape and lightness, not by hue alone. */
    mark() {
        const { last, check, marks, premove } = this.view;
        const key = String([last, check, marks, premove, this.view.flip]);
        if (key === this.marked) return;
        this.marked = key;
        const square = (/** @type {string} */ name, /** @type {string} */ kind) => this.square(squareIndex(name), kind, 6);
        // The first half of a drop is no square.
        const ends = (/** @type {string | null} */ uci) => (uci ? [uci.slice(0, 2), uci.slice(2, 4)].filter((it) => it[1] !== '@') : []);
        const kinds = { last: ends(last), premove: ends(premove), check: check < 0 ? [] : [squareName(check)], differs: marks };
        this.marks.replaceChildren(...Object.entries(kinds).flatMap(([kind, names]) => names.map((name) => square(name, kind))));
    }

    /** Draws the chosen piece, its targets and the cursor of the keyboard. */
    hint() {
        if (this.small) return;
        const chosen = this.chosen && this.chosen[1] !== '@' ? [this.square(squareIndex(this.chosen), 'chosen', 5)] : [];
        const dots = [...new Set(this.targets() ?? [])].map((name) => {
            const index = squareIndex(name);
            const shown = this.turn(index);
            const [kind, r] = this.view.cells[index] ? ['capture', 44] : ['target', 14];
            return svg('circle', { class: kind, cx: (shown % 8) * SIZE + 50, cy: (shown >> 3) * SIZE + 50, r });
        });
        const cursor = this.host.matches(':focus-visible') ? [this.square(this.cursor, 'cursor', 3)] : [];
        this.hints.replaceChildren(...chosen, ...dots, ...cursor);
    }

    coordinates() {
        if (this.small) return;
        const shades = ['on-dark', 'on-light'];
        this.labels.replaceChildren(...indexes.slice(0, 8).flatMap((n) => [
            svg('text', { x: n * SIZE + 80, y: 793, class: shades[n % 2] }, squareName(this.turn(56 + n))[0]),
            svg('text', { x: 6, y: n * SIZE + 24, class: shades[1 - (n % 2)] }, squareName(this.turn(n * 8))[1]),
        ]));
    }
}

/** The view of a position in which nothing can be moved. @param {string[]} cells @param {Partial<View>} [more] @returns {View} */
export const still = (cells, more = {}) => ({ cells, flip: false, last: null, check: -1, marks: [], premove: null, ...more });

