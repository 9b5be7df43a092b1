/** Elements of the page. Text is only ever set as text. */

/** @typedef {Record<string, string | number | ((event: any) => void)>} Attributes */

/** @template {Element} T @param {T} element @param {Attributes} attributes @param {(Node | string)[]} children @returns {T} */
function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        typeof value === 'function' ? element.addEventListener(name, value) : element.setAttribute(name, String(value));
    }
    element.append(...children);
    return element;
}

/**
 * Makes an element of HTML.
 *
 * @template {keyof HTMLElementTagNameMap} T @param {T} name @param {Attributes} [attributes] @param {...(Node | string)} children
 */
export const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

/**
 * Makes an element of SVG.
 *
 * @template {keyof SVGElementTagNameMap} T @param {T} name @param {Attributes} [attributes] @param {...(Node | string)} children
 */
export const svg = (name, attributes = {}, ...children) =>
    fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

/** @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} id */
export const input = (id) => /** @type {HTMLInputElement} */ (byId(id));

/** @param {string} id */
export const dialog = (id) => /** @type {HTMLDialogElement} */ (byId(id));

/** Sets the text of an element if it differs. @param {Element} element @param {string} text */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/**
 * Keeps one child for each key, in order: removes, makes and updates them.
 *
 * @template T @param {Element} parent @param {T[]} items @param {(item: T) => string} key @param {(item: T) => HTMLElement} make
 * @param {(element: any, item: T) => void} [update]
 */
export function keyed(parent, items, key, make, update = () => {}) {
    const old = new Map([...parent.children].map((child) => [child.getAttribute('data-key'), child]));
    // What goes is removed first: then nothing that stays has to move.
    const kept = new Set(items.map(key));
    old.forEach((child, name) => kept.has(name ?? '') || child.remove());
    let next = parent.firstElementChild;
    for (const item of items) {
        const child = old.get(key(item)) ?? make(item);
        child.setAttribute('data-key', key(item));
        child === next ? (next = next.nextElementSibling) : parent.insertBefore(child, next);
        update(child, item);
    }
}

/** A row of pieces as pictures, read as one text. @param {string} pieces letters as in FEN @param {string} label */
export function pieceRow(pieces, label) {
    const pictures = [...pieces].map((piece, index) => pictureOf(piece, { x: index * 60, width: 100, height: 100 }));
    return svg('svg', { class: 'pieces', viewBox: `0 0 ${40 + 60 * pieces.length} 100`, role: 'img', 'aria-label': label }, ...pictures);
}

/** A piece alone, for a button that has a name of its own. @param {string} piece */
export const pieceIcon = (piece) =>
    svg('svg', { viewBox: '0 0 100 100', 'aria-hidden': 'true' }, pictureOf(piece, { width: 100, height: 100 }));

/** The picture of a piece. @param {string} piece @param {Attributes} attributes */
export const pictureOf = (piece, attributes) =>
    svg('use', { href: `#${piece.toLowerCase()}`, class: piece === piece.toUpperCase() ? 'white' : 'black', ...attributes });

export const ROW = /** @type {[string, string]} */ (['ArrowLeft', 'ArrowRight']);
export const LIST = /** @type {[string, string]} */ (['ArrowUp', 'ArrowDown']);

/**
 * Lets two arrow keys move the focus among the buttons in an element: left and right in a row of tabs, up and down in a list.
 *
 * @param {HTMLElement} parent @param {[string, string]} keys @param {(child: HTMLElement) => void} [chosen]
 */
export function arrows(parent, keys, chosen = () => {}) {
    parent.addEventListener('keydown', (event) => {
        const children = [...parent.querySelectorAll('button')];
        if (!keys.includes(event.key) || !children.length) return;
        event.preventDefault();
        event.stopPropagation();
        const now = children.indexOf(/** @type {any} */ (document.activeElement));
        const step = keys.indexOf(event.key) * 2 - 1;
        const next = children[now < 0 ? children.length - 1 : Math.min(Math.max(now + step, 0), children.length - 1)];
        next.focus();
        chosen(next);
    });
}
