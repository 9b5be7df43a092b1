/**
 * Squares and pieces, without the rules of chess. Cells are 64 letters as in FEN (`''` for an empty one), from a8 to h1; a color is
 * `white` or `black`.
 */

/** @typedef {'white' | 'black'} Color */
/** @typedef {string[]} Cells */

const FILES = 'abcdefgh';
const ROLES = /** @type {Record<string, string>} */ ({ k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' });
/** Value in pawns, and number at the start. */
const WORTH = Object.entries({ q: [9, 1], r: [5, 2], b: [3, 2], n: [3, 2], p: [1, 8] });

/** @param {number} index */
export const squareName = (index) => `${FILES[index % 8]}${8 - Math.floor(index / 8)}`;

/** @param {string} name */
export const squareIndex = (name) => (8 - Number(name[1])) * 8 + FILES.indexOf(name[0]);

/** @param {string} piece @returns {Color} */
export const colorOf = (piece) => (piece === piece.toUpperCase() ? 'white' : 'black');

/** @param {Color} color @returns {Color} */
export const other = (color) => (color === 'white' ? 'black' : 'white');

/** @param {string} piece */
export const pieceName = (piece) => `${colorOf(piece)} ${ROLES[piece.toLowerCase()]}`;

/** Reads the squares of a FEN. Squares that it leaves out are empty. @param {string} fen @returns {Cells} */
export function cellsOf(fen) {
    const cells = /** @type {Cells} */ ([]);
    for (const letter of fen.split(' ', 1)[0]) {
        if (letter >= '1' && letter <= '8') {
            cells.push(...Array(Number(letter)).fill(''));
        } else if (letter.toLowerCase() in ROLES) {
            cells.push(letter);
        }
    }
    return Array.from({ length: 64 }, (_, index) => cells[index] ?? '');
}

/** Returns the number of plies before a position, by the last fields of its FEN. @param {string} fen */
export function plyOf(fen) {
    const fields = fen.split(' ');
    return (Number(fields[5] || 1) - 1) * 2 + (fields[1] === 'b' ? 1 : 0);
}

/** Writes the number of the move that led to a position after `ply` plies: `3.` or `3...`. @param {number} ply */
export const moveNumber = (ply) => `${Math.ceil(ply / 2)}${ply % 2 ? '.' : '...'}`;

/**
 * The squares of a move that is no drop, and whether it castles: two files or more, or onto its own rook.
 *
 * @param {Cells} cells @param {string} uci
 */
function read(cells, uci) {
    const [from, to] = [squareIndex(uci.slice(0, 2)), squareIndex(uci.slice(2, 4))];
    const files = (to % 8) - (from % 8);
    const ownRook = cells[to].toLowerCase() === 'r' && colorOf(cells[to]) === colorOf(cells[from]);
    const castles = cells[from].toLowerCase() === 'k' && (ownRook || Math.abs(files) > 1);
    return { from, to, files, castles, ownRook };
}

/**
 * Plays a reported or intended move without a check. Castling is the king's squares, or those of king and rook.
 *
 * @param {Cells} cells @param {string} uci @param {string} side that of a drop @returns {Cells}
 */
export function play(cells, uci, side) {
    const next = [...cells];
    if (uci[1] === '@') {
        next[squareIndex(uci.slice(2))] = side === 'white' ? uci[0].toUpperCase() : uci[0].toLowerCase();
        return next;
    }
    const { from, to, files, castles, ownRook } = read(cells, uci);
    const piece = cells[from];
    next[from] = '';
    if (castles) {
        const row = from - (from % 8);
        const corner = ownRook ? to : row + (files > 0 ? 7 : 0);
        next[corner] = '';
        next[row + (files > 0 ? 6 : 2)] = piece;
        next[row + (files > 0 ? 5 : 3)] = cells[corner];
        return next;
    }
    if (piece.toLowerCase() === 'p' && files && !cells[to]) next[from + files] = '';
    next[to] = uci[4] && colorOf(piece) === 'white' ? uci[4].toUpperCase() : uci[4] || piece;
    return next;
}

/** Returns the text that makes the server play a move. @param {Cells} cells @param {string} uci */
export function moveCommand(cells, uci) {
    if (uci[1] === '@') return uci;
    const { castles, files } = read(cells, uci);
    if (castles) return files > 0 ? 'O-O' : 'O-O-O';
    return uci.length > 4 ? `${uci.slice(0, 4)}=${uci[4]}` : uci;
}

/** Returns the square of a king that is attacked, or -1. @param {Cells} cells @param {Color} color */
export function checkedKing(cells, color) {
    const king = cells.indexOf(color === 'white' ? 'K' : 'k');
    if (king < 0) return -1;
    const at = (/** @type {number} */ file, /** @type {number} */ row) =>
        file < 0 || file > 7 || row < 0 || row > 7 ? null : cells[row * 8 + file];
    const foe = (/** @type {string | null} */ cell, /** @type {string} */ roles) =>
        cell && colorOf(cell) !== color && roles.includes(cell.toLowerCase());
    const [file, row] = [king % 8, Math.floor(king / 8)];
    const steps = [[1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [1, -1], [-1, 1], [-1, -1]];
    const rays = steps.some(([x, y]) => {
        for (let n = 1; ; n++) {
            const cell = at(file + n * x, row + n * y);
            if (cell !== '') return foe(cell, x && y ? 'bq' : 'rq') || (n === 1 && foe(cell, 'k'));
        }
    });
    const jumps = [[1, 2], [2, 1], [-1, 2], [-2, 1], [1, -2], [2, -1], [-1, -2], [-2, -1]];
    const ahead = color === 'white' ? -1 : 1;
    const pawn = foe(at(file - 1, row + ahead), 'p') || foe(at(file + 1, row + ahead), 'p');
    return rays || pawn || jumps.some(([x, y]) => foe(at(file + x, row + y), 'n')) ? king : -1;
}

/** Counts what each side has taken, and the difference of material in pawns. @param {Cells} cells */
export function material(cells) {
    const taken = /** @type {Record<Color, string>} */ ({ white: '', black: '' });
    let balance = 0;
    for (const [role, [value, n]] of WORTH) {
        const white = cells.filter((cell) => cell === role.toUpperCase()).length;
        const black = cells.filter((cell) => cell === role).length;
        balance += (white - black) * value;
        taken.white += role.repeat(Math.max(0, n - black));
        taken.black += role.toUpperCase().repeat(Math.max(0, n - white));
    }
    return { taken, balance };
}

/** Lists the pieces of a position for a screen reader. @param {Cells} cells */
export function describe(cells) {
    const order = Object.keys(ROLES);
    const side = (/** @type {Color} */ color) => {
        const squares = [...cells.keys()].filter((index) => cells[index] && colorOf(cells[index]) === color);
        squares.sort((a, b) => order.indexOf(cells[a].toLowerCase()) - order.indexOf(cells[b].toLowerCase()));
        return squares.map((index) => `${ROLES[cells[index].toLowerCase()]} ${squareName(index)}`).join(', ') || 'none';
    };
    return `White: ${side('white')}. Black: ${side('black')}.`;
}
