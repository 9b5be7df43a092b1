// The reducer and what it stands on, without a browser. KIBITZER names the program that decodes all recordings; without it, the stored events are read.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cellsOf, checkedKing, material, moveCommand, play, plyOf, squareIndex, squareName } from '../../page/chess.js';
import { clockText, remaining, running } from '../../page/clocks.js';
import { hexDump, summary } from '../../page/inspector.js';
import { defaultGame, initial, ownColor, reduce } from '../../page/state.js';
import { statusOf } from '../../page/words.js';
import { decode, placementOf } from './server.mjs';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const RECORDINGS = `${ROOT}tests/transcripts/`;
const names = readdirSync(RECORDINGS).filter((name) => name.endsWith('.jsonl'));
const program = process.env.KIBITZER ?? `${process.env.CARGO_TARGET_DIR ?? `${ROOT}target`}/debug/kibitzer`;
const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

const feed = (events, state = initial()) => reduce(state, events.map((event, index) => ({ type: 'message', id: `1.${index + 1}`, data: event })));
const board = (more = {}) => ({
    event: 'position', offset: 0, t: 1, game: 1, fen: START, side_to_move: 'white', white: 'Ann', black: 'Bob', relation: 0, white_clock_ms: 60000, black_clock_ms: 60000,
    last_move: null, flip: false, clock_running: true, lag_ms: 0, white_reserve: null, black_reserve: null, ...more,
});
const deepFreeze = (value) => {
    for (const it of value instanceof Map ? value.values() : Object.values(value)) {
        if (it && typeof it === 'object' && !Object.isFrozen(it)) {
            Object.freeze(it);
            deepFreeze(it);
        }
    }
    return value;
};

test('every recording gives the boards of decode', { skip: !existsSync(program) && `no program at ${program}` }, () => {
    process.env.KIBITZER = program;
    let boards = 0;
    let moves = 0;
    for (const name of names) {
        let state = initial();
        const last = new Map();
        decode(RECORDINGS + name).forEach((event, index) => {
            state = reduce(state, [{ type: 'message', id: `1.${index + 1}`, data: event }]);
            if (event.event !== 'position') {
                return;
            }
            boards += 1;
            const game = state.games.get(state.newest);
            const context = `${name} event ${index + 1}`;
            assert.equal(game.plies.at(-1).board.fen, event.fen, context);
            assert.equal(placementOf(cellsOf(game.board.fen)), event.fen.split(' ')[0], context);
            assert.equal(game.plies.at(-1).ply, plyOf(event.fen), context);
            const before = last.get(game.key);
            const uci = event.last_move?.uci;
            if (before && uci && plyOf(event.fen) === plyOf(before.fen) + 1 && !(event.last_move.verbose ?? '').includes('illegal')) {
                const fen = placementOf(play(cellsOf(before.fen), uci, before.side_to_move));
                // An explosion of atomic chess is no move of one piece.
                if (game.info?.variant !== 'atomic') {
                    assert.equal(fen, event.fen.split(' ')[0], `${context}: ${uci}`);
                    moves += 1;
                }
            }
            last.set(game.key, event);
        });
        for (const game of state.games.values()) {
            game.plies.forEach((it, index) => assert.ok(index === 0 || it.ply > game.plies[index - 1].ply, `${name}: plies grow`));
        }
    }
    assert.ok(boards > 5000 && moves > 3500, `${boards} boards, ${moves} moves`);
});

test('one batch and single events give the same state', () => {
    const events = [board(), board({ fen: START.replace('w', 'b'), side_to_move: 'black' }), { event: 'tell', offset: 9, t: 2, from: 'Bob', titles: [], text: 'hi' }, { event: 'game_ended', game: 1, white: 'Ann', black: 'Bob', result: '1-0', reason: 'mate', text: 'x' }];
    const single = events.reduce((state, event, index) => reduce(state, [{ type: 'message', id: `1.${index + 1}`, data: event }]), initial());
    assert.deepEqual(feed(events), single);
});

test('the reducer changes no state that it was given', () => {
    const first = deepFreeze(feed([board(), { event: 'tell', from: 'Bob', titles: [], text: 'hi', t: 1 }]));
    const copy = structuredClone(first);
    const next = reduce(first, [{ type: 'message', id: '1.9', data: board({ fen: START.replace(' w ', ' b '), t: 3 }) }, { type: 'read', tab: 'Bob' }, { type: 'message', id: '1.10', data: { event: 'lost', t: 4 } }]);
    assert.deepEqual(structuredClone(first), copy);
    assert.notEqual(next.games.get('g1'), first.games.get('g1'));
    assert.equal(next.talk.get('Bob').read, 1);
});

test('a takeback drops the later moves, and a new game takes over the number', () => {
    const at = (ply, more) => board({ fen: START.replace('w KQkq - 0 1', `${ply % 2 ? 'b' : 'w'} KQkq - 0 ${Math.floor(ply / 2) + 1}`), ...more });
    let state = feed([at(0), at(1), at(2), at(3), at(2)]);
    assert.deepEqual(state.games.get('g1').plies.map((it) => it.ply), [0, 1, 2]);
    state = feed([{ event: 'game_ended', game: 1, white: 'Ann', black: 'Bob', result: '1/2-1/2' }, at(0), at(0, { white: 'Cid' })], state);
    assert.deepEqual([...state.games.values()].map((game) => [game.key, game.white, game.result?.result]), [['g1', 'Ann', '1/2-1/2'], ['g2', 'Ann', undefined], ['g3', 'Cid', undefined]]);
    assert.equal(defaultGame(state).key, 'g3');
});

test('a paused clock stands still, and added time is on it at once', () => {
    const clock = (action, t, more = {}) => ({ event: 'clock', game: 1, t, action, by: null, to: null, seconds: null, text: '', ...more });
    const at = (state, now) => ['white', 'black'].map((color) => remaining(state.games.get('g1'), color, now));
    const added = feed([board(), clock('time_added', 6, { by: 'Bob', to: 'Ann', seconds: 30 })]);
    assert.deepEqual(at(added, 11), [80000, 60000]);
    const paused = feed([clock('paused', 11)], added);
    assert.deepEqual([at(paused, 11), at(paused, 99)], [[80000, 60000], [80000, 60000]]);
    assert.equal(running(paused.games.get('g1')), null);
    assert.equal(paused.games.get('g1').board, added.games.get('g1').board, 'the position is the same');
    const resumed = feed([clock('lagged', 50, { by: 'Ann', seconds: 30 }), clock('resumed', 99)], paused);
    assert.deepEqual(at(resumed, 100), [79000, 60000]);
    assert.deepEqual(at(feed([board({ t: 100, white_clock_ms: 1000 })], resumed), 100.5), [500, 60000], 'a board counts again');
    assert.deepEqual(at(feed([clock('paused', 5, { game: 2 })], feed([board()])), 6), [55000, 60000], 'another game');
    const own = feed([board({ own: true, relation: 1 }), clock('time_given', 1, { game: null, own: true, seconds: 5 }), clock('time_received', 1, { game: null, own: true, seconds: 9 }), clock('paused', 2, { game: null, own: true })]);
    assert.deepEqual(at(own, 50), [68000, 65000], 'lines about the own game have no number');
    assert.deepEqual(at(feed([clock('time_added', 1, { game: null, by: 'Ann', to: 'Bob', seconds: 5 })], feed([board()])), 1), [60000, 60000], 'a board follows');
});

test('a reset keeps nothing but what it brings, and history completes a game', () => {
    const later = board({ fen: START.replace('w KQkq - 0 1', 'b KQkq - 0 5'), last_move: { san: 'a3', uci: 'a2a3' }, white_clock_ms: 1 });
    let state = feed([board({ game: 9 })]);
    const data = { reason: 'start', missed: null, t: 5, source: { kind: 'session', name: 'x', handle: 'Ann' }, tokens: { write: 'w' }, state: [later], recent: [{ id: '7.1', event: { event: 'tell', from: 'Bob', titles: [], text: 'old' } }, { id: '7.2', event: later }] };
    state = reduce(state, [{ type: 'reset', id: '7.2', data }]);
    assert.equal(state.games.size, 1);
    assert.equal(state.rows.length, 2);
    const tab = state.talk.get('Bob');
    assert.equal(tab.total - tab.read, 0);
    const [game] = state.games.values();
    assert.equal(game.complete, false);
    state = reduce(state, [{ type: 'history', key: game.key, events: [board(), later] }]);
    assert.deepEqual(state.games.get(game.key).plies.map((it) => it.ply), [0, 9]);
    assert.ok(state.games.get(game.key).complete);
});

test('after a loss boards are old until the next one', () => {
    let state = feed([board(), { event: 'lost', t: 2, text: 'x', retry_in_ms: 5, silent_ms: 1 }]);
    assert.ok(state.games.get('g1').stale);
    assert.equal(running(state.games.get('g1')), null);
    state = feed([{ event: 'restored', t: 3, games: [{ was: 1, now: 1, outcome: 'unchanged' }], settings: [], requests: [], seeks: [] }], state);
    assert.ok(!state.games.get('g1').stale);
    state = feed([{ event: 'lost', t: 4 }, { event: 'restored', t: 5, games: [{ was: 1, now: null, outcome: 'ended', result: '0-1', ending: 'resign' }] }], state);
    assert.equal(state.games.get('g1').result.result, '0-1');
});

test('hostile text and unknown events change nothing but rows', () => {
    const hostile = ['<img src=x onerror=alert(1)>', '</script><script>alert(1)</script>', '\u202egnp', 'x'.repeat(60000), '__proto__', 'constructor'];
    const events = hostile.flatMap((text) => [{ event: 'tell', from: text, titles: [text], text }, { event: text, game: 1, fen: text }, board({ white: text, game: hostile.indexOf(text) })]);
    const state = feed(Array.from({ length: 600 }, () => events).flat());
    assert.ok(state.rows.length <= 2000 && state.talk.size <= 40);
    assert.equal(state.games.size, hostile.length);
    assert.equal(state.talk.get('__proto__').lines[0].text, '__proto__');
    assert.equal({}.polluted, undefined);
});

test('everything that a server can make grow is bounded', () => {
    const events = Array.from({ length: 3000 }, (_, n) => [board({ game: n, t: n, lag_ms: 5 }), { event: 'tell', from: `p${n}`, titles: [], text: 'x' }, { event: 'sent', request: n, line: 'x', t: n }]).flat();
    const state = feed(events);
    assert.ok(state.games.size <= 512 && state.current.size <= 512, `${state.games.size} games, ${state.current.size} numbers`);
    const own = feed([board({ game: 5000, own: true, relation: 1 }), ...events.filter((event) => event.event === 'position').flatMap((event) => [event, { event: 'game_ended', game: event.game, white: 'Ann', black: 'Bob', result: '*' }])]);
    assert.equal(defaultGame(own).number, 5000, 'a game in progress is not dropped for finished ones');
    assert.ok(state.talk.size <= 40 && state.requests.size <= 64 && state.lags.length <= 600 && state.rates.length <= 600);
});

test('the own game is shown, also when it has just ended', () => {
    const own = { game: 2, own: true, relation: 1 };
    let state = feed([board({ game: 1 }), board(own), board({ game: 1, t: 5 })]);
    assert.equal(defaultGame(state).number, 2);
    state = feed([{ event: 'game_ended', game: 2, white: 'Ann', black: 'Bob', result: '1-0' }, board({ game: 1, t: 6 })], state);
    assert.equal(defaultGame(state).number, 2);
    assert.equal(defaultGame(feed([board({ game: 3 })], state)).number, 3);
});

test('premove and turns follow the relation', () => {
    const state = feed([board({ relation: -1, own: true })]);
    assert.equal(ownColor(defaultGame(state)), 'black');
    assert.equal(ownColor(defaultGame(feed([board({ relation: 1, own: true })], state))), 'white');
    assert.equal(ownColor(defaultGame(feed([board({ relation: 0 })]))), null);
});

test('clocks run with the session and are written with their unit', () => {
    const game = feed([board()]).games.get('g1');
    assert.equal(remaining(game, 'white', 3.5), 57500);
    assert.equal(remaining(game, 'black', 3.5), 60000);
    const cases = [[null, '–'], [0, '0:00.0'], [9876, '0:09.8'], [59999, '0:59'], [3_723_000, '1:02:03'], [-1500, '−0:01.5']];
    for (const [ms, text] of cases) {
        assert.equal(clockText(ms, true), text);
    }
});

test('the time of the session follows the line, and stops with it', async (context) => {
    let now = 1000;
    context.mock.method(performance, 'now', () => now);
    const listeners = {};
    globalThis.EventSource = class { addEventListener(name, listener) { listeners[name] = (data, id = '') => listener({ data: JSON.stringify(data), lastEventId: id }); } };
    const { Connection } = await import('../../page/connection.js');
    const seen = [];
    const connection = new Connection((action) => seen.push(action.type));
    listeners.reset({ t: 50, state: [], recent: [] }, '1.1');
    listeners.line({ state: 'live', t: 50, rate: 1 });
    now += 2000;
    assert.equal(connection.now(), 52);
    listeners.line({ state: 'live', t: 51.9, rate: 1 });
    assert.equal(connection.now(), 52, 'a late message does not set it back');
    listeners.message({ event: 'prompt', t: 53 }, '1.2');
    assert.equal(connection.now(), 53, 'an event is not in the future');
    now += 60_000;
    assert.equal(connection.now(), 56, 'it stops three seconds after the last message');
    assert.ok(connection.silent());
    listeners.line({ state: 'stalled', t: 113, rate: 0 });
    now += 2000;
    assert.equal(connection.now(), 113, 'it stands still on a silent line');
    listeners.line({ state: 'playing', t: 5, rate: 4 });
    now += 1000;
    assert.equal(connection.now(), 9, 'a recording is played at its speed');
    assert.deepEqual(seen, ['reset', 'line', 'line', 'message', 'line', 'line']);
});

test('moves, material and check', () => {
    assert.equal(squareName(0), 'a8');
    assert.equal(squareIndex('h1'), 63);
    const cases = [
        ['castles', 'r3k2r/8/8/8/8/8/8/R3K2R', 'e1g1', 'r3k2r/8/8/8/8/8/8/R4RK1', 'O-O'], ['castles long', 'r3k2r/8/8/8/8/8/8/R3K2R', 'e8c8', '2kr3r/8/8/8/8/8/8/R3K2R', 'O-O-O'],
        ['castles onto its rook', '8/8/8/8/8/8/8/1RK3R1', 'c1g1', '8/8/8/8/8/8/8/1R3RK1', 'O-O'], ['en passant', '8/8/8/3pP3/8/8/8/8', 'e5d6', '8/8/3P4/8/8/8/8/8', 'e5d6'],
        ['promotes', '8/P7/8/8/8/8/8/8', 'a7a8n', 'N7/8/8/8/8/8/8/8', 'a7a8=n'], ['drops', '8/8/8/8/8/8/8/8', 'N@f3', '8/8/8/8/8/5N2/8/8', 'N@f3'],
    ];
    for (const [name, before, uci, after, command] of cases) {
        assert.equal(placementOf(play(cellsOf(before), uci, 'white')), after, name);
        assert.equal(moveCommand(cellsOf(before), uci), command, name);
    }
    const checks = [['rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR', 'white', 60], [START, 'white', -1], ['4k3/3P4/8/8/8/8/8/4K3', 'black', 4], ['4k3/8/5N2/8/8/8/8/4K3', 'black', 4], ['8/8/8/8/8/8/8/8', 'white', -1]];
    for (const [fen, color, square] of checks) {
        assert.equal(checkedKing(cellsOf(fen), color), square, fen);
    }
    assert.deepEqual(material(cellsOf('rnbqkbnr/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBN1')), { taken: { white: 'p', black: 'R' }, balance: -4 });
    assert.equal(cellsOf('no fen at all <script>').length, 64);
});

test('a row of the stream is one line', () => {
    assert.equal(hexDump('0d0a3c31323e'), '0000  0d 0a 3c 31 32 3e                                ..<12>');
    assert.equal(summary({ event: 'tell', offset: 1, from: 'Bob', text: 'hi' }), 'Bob: hi');
    assert.equal(summary({ event: 'seeks_removed', offset: 1, t: 2, indexes: [3] }), 'indexes [3]');
});

test('the page has no code or style in its markup, and stays small', () => {
    const page = fileURLToPath(new URL('../../page/', import.meta.url));
    const files = readdirSync(page).map((name) => [name, readFileSync(page + name, 'utf8')]);
    const html = readFileSync(`${page}index.html`, 'utf8');
    assert.doesNotMatch(html, /\sstyle=|\son\w+=|<style|<script(?! type="module" src="main.js")/);
    assert.doesNotMatch(files.map(([, text]) => text).join(''), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|https?:\/\/(?!www\.w3\.org)/);
    assert.ok(files.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0) < 150_000);
    const code = (text) => text.split('\n').filter((line) => line.trim() && !/^\s*(\/\/|\/?\*)/.test(line)).length;
    const lines = files.filter(([name]) => name.endsWith('.js')).reduce((sum, [, text]) => sum + code(text), 0);
    assert.ok(lines <= 1500, `${lines} lines of JavaScript`);
    for (const line of readFileSync(`${page}../../kibitzer/src/openings.txt`, 'utf8').trim().split('\n')) {
        assert.match(line, /^(?:[KQRBN]?[a-h]?x?[a-h][1-8]|O-O(?:-O)?)(?: (?:[KQRBN]?[a-h]?x?[a-h][1-8]|O-O(?:-O)?))*: \S/);
    }
});

test('a list of moves makes the page ask for the earlier boards of its game again', () => {
    const later = board({ fen: START.replace(' 0 1', ' 0 20'), last_move: { san: 'Nc3', uci: 'b1c3' } });
    let state = feed([later]);
    const of = () => [...state.games.values()][0];
    state = reduce(state, [{ type: 'history', key: of().key, events: [later] }]);
    assert.equal(of().complete, true);
    const status = () => statusOf(of(), of().plies.at(-1), []);
    assert.match(status(), /moves from 19 on/);
    state = feed([{ event: 'move_list', game: 1, white: 'Ann', black: 'Bob' }], state);
    assert.equal(of().complete, false);
    state = reduce(state, [{ type: 'history', key: of().key, events: [board(), later] }]);
    assert.deepEqual(of().plies.map((it) => it.ply), [0, 38]);
    assert.doesNotMatch(status(), /moves from/);
});
