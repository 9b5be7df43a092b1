// The page in a real browser, with the stand-in as its server. Needs playwright-core and axe-core, below the folder that MODULES names, and a Chromium.
//
//     KIBITZER=target/debug/kibitzer MODULES=/path/with/node_modules/ node browser.mjs [NAME]...
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { cellsOf, play } from '../../page/chess.js';
import { decode, placementOf, StandIn } from './server.mjs';

const require = createRequire(process.env.MODULES ?? import.meta.url);
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RECORDINGS = fileURLToPath(new URL('../../../../tests/transcripts/', import.meta.url));
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1';

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
const faults = [];
const opened = [];

async function open(standIn, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    opened.push(standIn);
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.stack));
    await page.goto(await standIn.listen());
    // What happened before a stream begins is in its reset only as far as games go.
    await until(() => standIn.viewers.size > 0, true, 'the stream begins');
    return page;
}

/** The placement that is drawn, as the first field of a FEN. */
const drawn = (page, host = '#board') => page.evaluate((selector) => {
    const cells = Array(64).fill('');
    const turned = document.querySelector(`${selector} .coordinates text:nth-child(2)`)?.textContent === '1';
    for (const use of document.querySelectorAll(`${selector} g.pieces use`)) {
        const index = (Number(use.getAttribute('y')) / 100) * 8 + Number(use.getAttribute('x')) / 100;
        const letter = use.getAttribute('href').slice(1);
        cells[turned ? 63 - index : index] = use.classList.contains('white') ? letter.toUpperCase() : letter;
    }
    return cells;
}, host).then(placementOf);

const until = async (read, wanted, what) => {
    let found;
    for (let n = 0; n < 400; n++) {
        found = await read();
        if (found === wanted) {
            return;
        }
        await new Promise((resolve) => setTimeout(resolve, 25));
    }
    assert.equal(found, wanted, what);
};

/** Starts to measure the processor time of the page's main thread; the result is called at the end, and gives parts of a core. */
async function busy(page) {
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const read = async () => Object.fromEntries((await session.send('Performance.getMetrics')).metrics.map((it) => [it.name, it.value]));
    const [before, began] = [await read(), performance.now()];
    return async () => {
        const after = await read();
        const part = (name) => `${name} ${((100 * (after[`${name}Duration`] - before[`${name}Duration`])) / ((performance.now() - began) / 1000)).toFixed(0)} %`;
        return ['Task', 'Script', 'RecalcStyle', 'Layout'].map(part).join(', ');
    };
}

const text = (page, selector) => page.textContent(selector);
const position = (fen, more) => ({
    event: 'position', offset: 0, game: 1, fen, side_to_move: fen.split(' ')[1] === 'w' ? 'white' : 'black', white: 'Ann', black: 'Bob', relation: 0, initial_s: 180, increment_s: 0,
    white_clock_ms: 180000, black_clock_ms: 180000, last_move: null, flip: false, clock_running: true, lag_ms: 0, white_reserve: null, black_reserve: null, ...more,
});

/** A game of the login Ann: each command that is a move is played, and answered with the next reply. */
function ownGame(replies, more = {}) {
    const standIn = new StandIn([], { kind: 'session', write: true });
    let cells = cellsOf(START);
    let ply = 0;
    const side = () => (ply % 2 ? 'b' : 'w');
    standIn.board = (move = null) => {
        standIn.emit(position(`${placementOf(cells)} ${side()} KQkq - 0 ${Math.floor(ply / 2) + 1}`, { own: true, relation: ply % 2 ? -1 : 1, t: standIn.line.t, last_move: move && { san: move, uci: move, verbose: move, elapsed_ms: 0 }, ...more }));
    };
    standIn.move = (uci) => {
        cells = play(cells, uci, ply % 2 ? 'black' : 'white');
        ply += 1;
        standIn.board(uci);
    };
    standIn.set = (placement, at) => { cells = cellsOf(placement); ply = at; };
    standIn.legal = (moves) => standIn.sendLegal({ game: 1, fen: standIn.ring.findLast(({ event }) => event.fen).event.fen, moves });
    standIn.onCommand = ({ command }) => {
        if (command === 'e2e5') {
            return { kind: 'refused', content: { reason: 'illegal_move', text: 'Illegal move (e2e5).' } };
        }
        const move = { 'O-O': 'e1g1' }[command] ?? command.replace('=', '');
        if (/^([a-h][1-8][a-h][1-8]|[NBRQP]@)/.test(move)) {
            standIn.move(move);
            const reply = replies.shift();
            if (reply) {
                setTimeout(() => { standIn.move(reply); }, standIn.delay ?? 0);
            }
        }
        return { kind: 'text', content: { lines: [] } };
    };
    return standIn;
}

async function square(page, name, flip = false) {
    const box = await page.locator('#board svg').boundingBox();
    const [file, row] = ['abcdefgh'.indexOf(name[0]), 8 - Number(name[1])].map((it) => (flip ? 7 - it : it));
    return [box.x + ((file + 0.5) * box.width) / 8, box.y + ((row + 0.5) * box.height) / 8];
}

async function dragPiece(page, from, to, flip = false) {
    await page.mouse.move(...(await square(page, from, flip)));
    await page.mouse.down();
    await page.mouse.move(...(await square(page, to, flip)), { steps: 3 });
    await page.mouse.up();
}

async function check(page, name) {
    await page.evaluate(axe);
    // The debugger evaluates the script, which the page's policy forbids to the page.
    const result = await page.evaluate(() => globalThis.axe.run());
    const found = result.violations.flatMap((it) => it.nodes.map((node) => `${name}: ${it.id} ${node.target} ${node.any[0]?.message ?? it.help}`));
    assert.deepEqual(found, []);
}

const trials = {
    async everyPly() {
        const events = decode(`${RECORDINGS}fatics-multi-observer.jsonl`);
        const standIn = new StandIn(events);
        const page = await open(standIn);
        const boards = events.filter((event) => event.event === 'position');
        for (const event of boards) {
            await page.click('#step');
            const card = `.card[data-game="${event.game}"] >> nth=0`;
            await page.waitForSelector(card);
            await until(() => page.locator(card).evaluate((it) => it.dataset.key).then((key) => drawn(page, `[data-key=${key}]`)), event.fen.split(' ')[0], `board at ${event.t}`);
        }
        await page.click('#back');
        await page.click(`.card[data-game="${boards.at(-2).game}"] >> nth=0`);
        await until(() => drawn(page), boards.at(-2).fen.split(' ')[0], 'back');
        // Each move of the list is a board of the recording.
        const of = boards.slice(0, -1).filter((event) => event.game === boards.at(-2).game);
        await until(() => page.locator('#move-list button').count(), of.length, 'the earlier moves from the server');
        for (let index = of.length - 2; index >= 0; index--) {
            await page.keyboard.press('ArrowLeft');
            await until(() => drawn(page), of[index].fen.split(' ')[0], `ply ${index}`);
        }
    },

    async playsByDragClickAndKeyboard() {
        const standIn = ownGame(['e7e5', 'b8c6', 'f8c5', 'a7a6', 'h7h6', 'a6a5']);
        const page = await open(standIn);
        standIn.board();
        standIn.legal(['e2e4', 'e2e3']);
        await page.waitForSelector('#board use');
        await dragPiece(page, 'e2', 'e5');
        assert.deepEqual(standIn.commands, [], 'a move that is not legal is not sent');
        await dragPiece(page, 'e2', 'e4');
        await until(() => drawn(page), 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR', 'after 1. e4 e5');
        for (const name of ['g1', 'f3']) {
            await page.mouse.click(...(await square(page, name)));
        }
        await until(() => drawn(page), 'r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R', 'after 2. Nf3 Nc6');
        await page.focus('#board');
        // The cursor is on f3, where the last click was: f1, then c4.
        for (const key of ['ArrowDown', 'ArrowDown', 'Enter', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Enter']) {
            await page.keyboard.press(key);
        }
        await until(() => drawn(page), 'r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R', 'after 3. Bc4 Bc5');
        await page.fill('#command', 'O-O');
        await page.keyboard.press('Enter');
        await until(() => drawn(page), 'r1bqk1nr/1ppp1ppp/p1n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1', 'after 4. O-O a6');
        // A premove is sent once it is legal.
        standIn.delay = 2000;
        await dragPiece(page, 'd2', 'd3');
        await page.waitForSelector('#bottom .clock:not(.running)');
        await dragPiece(page, 'c2', 'c3');
        await until(() => drawn(page), 'r1bqk1nr/1ppp1pp1/p1n4p/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQ1RK1', 'after 5. d3 h6');
        assert.match(await text(page, '#status'), /premove c2c3/);
        standIn.legal(['c2c3']);
        await until(() => drawn(page), 'r1bqk1nr/1ppp1pp1/2n4p/p1b1p3/2B1P3/2PP1N2/PP3PPP/RNBQ1RK1', 'after 6. c3 a5');
        await page.fill('#command', 'e2e5');
        await page.keyboard.press('Enter');
        await until(() => text(page, '#refusal'), 'e2e5: Illegal move (e2e5).', 'a refusal is shown');
        assert.deepEqual(standIn.commands, ['e2e4', 'g1f3', 'f1c4', 'O-O', 'd2d3', 'c2c3', 'e2e5']);
        standIn.emit({ event: 'game_ended', offset: 1, t: 9, game: 1, white: 'Ann', black: 'Bob', result: '1-0', reason: 'resign', text: 'Bob resigns' });
        await until(() => text(page, '#result'), '1-0 Bob resigns', 'the result');
    },

    async seeksAndPlays() {
        const events = decode(`${RECORDINGS}fatics-game-mate-observer.jsonl`);
        const standIn = new StandIn(events);
        const page = await open(standIn);
        const boards = events.filter((event) => event.event === 'position');
        const middle = boards[Math.floor(boards.length / 2)];
        await page.locator('#seek').evaluate((range, t) => { range.value = t; range.dispatchEvent(new Event('change')); }, middle.t);
        await until(() => drawn(page), boards.findLast((event) => event.t <= middle.t + 0.001).fen.split(' ')[0], 'after a drag of the time line');
        const clocks = () => page.evaluate(() => [...document.querySelectorAll('#pane .clock')].map((it) => it.textContent).join(' '));
        const still = await clocks();
        await page.waitForTimeout(1200);
        assert.equal(await clocks(), still, 'a paused recording has clocks that stand still');
        await page.selectOption('#speed', '20');
        await page.click('#play');
        await until(async () => (await clocks()) !== still, true, 'clocks run');
        await until(() => text(page, '#line'), '○ at end', 'the end');
        await until(() => drawn(page), boards.at(-1).fen.split(' ')[0], 'the last board');
        await page.keyboard.press('Home');
        await until(() => drawn(page), boards[0].fen.split(' ')[0], 'the first board of the list');
        await page.keyboard.press('a');
        await until(() => text(page, '#line'), '❚❚ paused', 'a key steps back');
    },

    async lineAndInspector() {
        const standIn = new StandIn([], { kind: 'session' });
        const page = await open(standIn);
        standIn.emit(position(START, { t: 1, relation: 0 }));
        standIn.emit({ event: 'tell', offset: 5, t: 1, from: 'Bob', titles: ['GM'], text: 'hello' });
        await until(() => text(page, '#unread'), ' (1)', 'an unread line');
        await page.click('[data-tab=talk]');
        await until(() => text(page, '#unread'), '', 'it was read');
        assert.match(await text(page, '#talk-log'), /Bob\(GM\) tell hello/);
        standIn.sendLine({ silent_ms: 7100 });
        await until(() => text(page, '#line'), '● connected, silent for 7 s', 'silence');
        standIn.sendLine({ state: 'lost', rate: 0, text: 'timed out', retry_in_ms: 3000, silent_ms: 1 });
        standIn.emit({ event: 'lost', offset: null, t: 9, text: 'timed out', retry_in_ms: 3000, silent_ms: 1 });
        await until(() => text(page, '#line'), '○ lost, reconnecting in 3 s: timed out', 'a loss');
        assert.match(await text(page, '#status'), /old: connection lost/);
        standIn.emit({ event: 'restored', offset: null, t: 12, offline_ms: 3400, silent_ms: 1, requests: [], seeks: [], settings: [{ command: 'set gin 1', error: 'refused' }],
            games: [{ was: 1, now: 1, outcome: 'advanced', plies: 2, moves_missing: true }] });
        await until(() => text(page, '#restored'), 'Restored after 3 s: game 1 advanced by 2 plies, moves are missing; set gin 1: refused.', 'what was lost');
        standIn.emit({ event: 'desync', offset: 1, t: 13, game: 1, text: 'x', expected_fen: START, actual_fen: START.replace('P', '1'), squares: ['a2'] });
        await page.click('[data-tab=stream]');
        await page.fill('#filter', 'kind:desync');
        await page.keyboard.press('Enter');
        await until(() => page.locator('.row').count(), 1, 'one row matches');
        await page.click('.row');
        await until(() => page.locator('#detail figure').count(), 2, 'two boards side by side');
        assert.equal(await drawn(page, '#detail figure:nth-child(2)'), '1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR'.replace('1nb', 'rnb').replace('PPPPPPPP', '1PPPPPPP'));
        await until(async () => /0000 {2}78 0a 0d/.test(await text(page, '#detail')), true, 'the bytes');
        await page.fill('#filter', 'no:term');
        await page.keyboard.press('Enter');
        await until(() => text(page, '#filter-error'), 'unknown term at 1', 'an error of the filter');
        await page.focus('#tabs [aria-selected=true]');
        await page.keyboard.press('ArrowRight');
        await until(() => page.locator('.chart').count(), 5, 'the arrow key opens the graphs');
        assert.match(await page.locator('.chart >> nth=0').getAttribute('aria-label'), /^Clocks, Ann – Bob\./);
    },

    async promotesAndDrops() {
        const standIn = ownGame([], { white_reserve: 'NP', black_reserve: 'Q', flip: false });
        standIn.set('8/P6k/8/8/8/8/8/K7', 40);
        const page = await open(standIn);
        standIn.emit({ event: 'game_info', offset: 0, game: 1, variant: 'crazyhouse', kind: 'crazyhouse', white_rating: 1500, black_rating: 1600 });
        standIn.board();
        standIn.legal(['a7a8q', 'a7a8n', 'N@f3']);
        await page.waitForSelector('#bottom .held button');
        assert.equal(await page.getAttribute('#top .held svg', 'aria-label'), 'in reserve: q');
        await dragPiece(page, 'a7', 'a8');
        await page.click('#promotion button[value=n]');
        await until(() => drawn(page), 'N7/7k/8/8/8/8/8/K7', 'promoted to a knight');
        standIn.move('h7h6');
        standIn.legal(['N@f3']);
        await page.waitForSelector('#bottom .held button');
        await page.focus('#bottom .held button');
        await page.keyboard.press('Enter');
        await page.mouse.click(...(await square(page, 'f3')));
        await until(() => drawn(page), 'N7/8/7k/8/8/5N2/8/K7', 'dropped by click');
        standIn.move('h6h5');
        const piece = await page.locator('#bottom .held button >> nth=1').boundingBox();
        await page.mouse.move(piece.x + 9, piece.y + 9);
        await page.mouse.down();
        await page.mouse.move(...(await square(page, 'e4')), { steps: 3 });
        await page.mouse.up();
        await until(() => drawn(page), 'N7/8/8/7k/4P3/5N2/8/K7', 'dropped by drag');
        assert.deepEqual(standIn.commands, ['a7a8=n', 'N@f3', 'P@e4']);
    },

    async cutAndReload() {
        const events = decode(`${RECORDINGS}fatics-multi-observer.jsonl`);
        const standIn = new StandIn([], { kind: 'session' });
        const page = await open(standIn);
        const rows = () => page.evaluate(() => document.querySelector('#row-count').textContent);
        await page.click('[data-tab=stream]');
        await page.check('#all-rows');
        for (const event of events.slice(0, 100)) {
            standIn.emit(event);
        }
        await until(rows, '100 rows', 'before the cut');
        standIn.viewers.forEach((viewer) => viewer.destroy());
        for (const event of events.slice(100, 250)) {
            standIn.emit(event);
        }
        await until(rows, '250 rows', 'after the cut');
        await page.reload();
        await page.click('[data-tab=stream]');
        await page.check('#all-rows');
        await until(rows, '250 rows', 'after a reload');
        const last = events.slice(0, 250).filter((event) => event.event === 'position' && event.game === 4).at(-1);
        await until(() => drawn(page), last.fen.split(' ')[0], 'the board after a reload');
        // The moves before the reload come from the server.
        const plies = events.slice(0, 250).filter((event) => event.event === 'position' && event.game === last.game).length;
        await until(() => page.locator('#move-list button').count(), plies, 'the moves of the game');
        standIn.close();
        await until(async () => /no connection to kibitzer/.test(await text(page, '#line')), true, 'the page says that its server is gone');
        faults.splice(0, faults.length, ...faults.filter((it) => !/ERR_(CONNECTION|INCOMPLETE|EMPTY)/.test(it)));
    },

    async hostileText() {
        const standIn = new StandIn([], { kind: 'session', write: true });
        const page = await open(standIn);
        const hostile = ['<img src=x onerror="document.title=1">', '</script><script>document.title=1</script>', '\u202eevil\u202c', 'https://evil.example/', 'x'.repeat(60_000), '&lt;b&gt;', '"><svg onload=document.title=1>'];
        const before = await page.evaluate(() => [...new Set([...document.querySelectorAll('*')].map((it) => it.tagName))].sort().join());
        for (let n = 0; n < 10_000; n++) {
            const it = `${hostile[n % hostile.length].slice(0, n < 14 ? undefined : 200)} ${n}`;
            const kind = n % 3;
            standIn.emit(kind === 0 ? { event: 'tell', offset: n, t: n / 100, from: it, titles: [it], text: it } : kind === 1 ? { event: 'channel_tell', offset: n, t: n / 100, from: it, titles: [], text: it, channel: 1 }
                : position(START, { game: n % 50, white: it, black: it, t: n / 100, last_move: { san: it, uci: null, verbose: it } }));
        }
        standIn.emit({ event: 'challenge', offset: 1, t: 100, from: hostile[0], rated: true, kind: hostile[1], speed: null, variant: null, initial_min: 5, increment_s: 0 });
        for (const tab of ['games', 'talk', 'stream', 'graphs']) {
            await page.click(`[data-tab=${tab}]`);
            await page.waitForTimeout(400);
            assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, `${tab} is not wider than the screen`);
        }
        await page.click('[data-tab=stream]');
        await page.click('.row.position');
        await page.waitForTimeout(200);
        const known = new Set([...before.split(','), 'B', 'I', 'TIME', 'use', 'svg', 'path', 'text', 'polyline', 'title', 'circle', 'rect', 'g', 'FIGURE', 'FIGCAPTION', 'TABLE', 'TBODY', 'TR', 'TH', 'TD', 'H3', 'H4', 'PRE', 'SECTION', 'P', 'SPAN', 'DIV', 'BUTTON']);
        const found = await page.evaluate(() => [...new Set([...document.querySelectorAll('*')].map((it) => it.tagName))]);
        assert.deepEqual(found.filter((name) => !known.has(name)), []);
        assert.equal(await page.locator('img, a[href^=http], script:not([src="main.js"])').count(), 0);
        assert.equal(await page.title(), 'kibitzer');
    },

    async accessible() {
        const events = decode(`${RECORDINGS}fatics-crazyhouse-white.jsonl`);
        for (const [colorScheme, width] of [['light', 1280], ['dark', 1280], ['light', 360], ['dark', 360]]) {
            const standIn = new StandIn(events, { write: true });
            const page = await open(standIn, { colorScheme, viewport: { width, height: 740 } });
            standIn.goTo(Math.floor(events.length * 0.8));
            standIn.emit({ event: 'challenge', offset: 1, t: 100, from: 'Bob', rated: true, kind: 'blitz', speed: 'blitz', variant: 'chess', initial_min: 5, increment_s: 0 });
            for (const tab of ['games', 'talk', 'stream', 'graphs']) {
                await page.click(`[data-tab=${tab}]`);
                await page.waitForTimeout(300);
                if (tab === 'stream') {
                    await page.click('.row');
                    await page.waitForTimeout(200);
                }
                await check(page, `${colorScheme} ${width} ${tab}`);
                assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${tab} at ${width}`);
            }
        }
    },

    async firstBoard() {
        const standIn = new StandIn(decode(`${RECORDINGS}fatics-multi-observer.jsonl`));
        standIn.goTo(200);
        const page = await open(standIn);
        await page.waitForSelector('#board use');
        const times = [];
        for (let n = 0; n < 5; n++) {
            await page.reload({ waitUntil: 'commit' });
            times.push(await page.evaluate(() => new Promise((resolve) => {
                const look = () => (document.querySelector('#board use') ? resolve(Math.round(performance.now())) : requestAnimationFrame(look));
                look();
            })));
        }
        console.log('  first board after', times.join(', '), 'ms');
        // The fastest of five: other programs may have the processor in the others.
        assert.ok(Math.min(...times) < 300);
    },

    async thousandEvents() {
        const events = decode(`${RECORDINGS}fatics-multi-observer.jsonl`).map(({ t, ...event }) => event);
        const standIn = new StandIn([], { kind: 'session' });
        const page = await open(standIn);
        let n = 0;
        const timer = setInterval(() => { for (let k = 0; k < 20; k++) standIn.emit({ ...events[n % events.length], t: n++ / 1000 }); }, 20);
        for (const tab of ['games', 'talk', 'stream', 'graphs']) {
            await page.click(`[data-tab=${tab}]`);
            const before = n;
            const load = await busy(page);
            const count = await page.evaluate(() => new Promise((resolve) => {
                const end = performance.now() + 3000;
                let frames = 0;
                const frame = (now) => (frames++, now < end ? requestAnimationFrame(frame) : resolve(frames));
                requestAnimationFrame(frame);
            }));
            console.log(`  ${tab}: ${(count / 3).toFixed(0)} frames/s at ${Math.round((n - before) / 3)} events/s; ${await load()}`);
        }
        clearInterval(timer);
        const last = standIn.ring.findLast(({ event }) => event.event === 'position' && event.game === 4).event;
        await until(() => drawn(page), last.fen.split(' ')[0], 'the last board');
    },

    async sixtyFourBoards() {
        const standIn = new StandIn([], { kind: 'session' });
        const page = await open(standIn);
        const squares = ['e2e4', 'e7e5', 'g1f3', 'b8c6', 'f1c4', 'f8c5', 'd2d3', 'd7d6', 'c2c3', 'a7a6', 'b1d2', 'h7h6', 'h2h3', 'g8f6', 'd1e2', 'd8e7', 'e4f6', 'e5d4'].slice(0, 16);
        const boards = Array.from({ length: 64 }, () => ({ cells: cellsOf(START), ply: 0 }));
        const moveOne = (game) => {
            const board = boards[game];
            const index = board.ply % (2 * squares.length);
            const uci = squares[index % squares.length];
            board.cells = index === 0 ? cellsOf(START) : board.cells;
            board.cells = index < squares.length ? play(board.cells, uci) : board.cells;
            board.ply += 1;
            const fen = `${placementOf(board.cells)} ${board.ply % 2 ? 'b' : 'w'} KQkq - 0 ${Math.floor(board.ply / 2) + 1}`;
            standIn.emit(position(fen, { game: game + 1, white: `White${game}`, black: `Black${game}`, t: standIn.line.t, last_move: { san: uci, uci, verbose: uci } }));
        };
        boards.forEach((_, game) => moveOne(game));
        await page.waitForFunction(() => document.querySelectorAll('.card').length === 64);
        // MOVES is the number of moves in a second, which arrive in pieces as the program sends them.
        const [perSecond, began] = [Number(process.env.MOVES ?? 30), performance.now()];
        let n = 0;
        const timer = setInterval(() => {
            while (n < ((performance.now() - began) / 1000) * perSecond) moveOne((n++ * 7) % 64);
        }, 25);
        // The browser's own measure of input: the time from a key to the next frame that shows its effect.
        await page.evaluate(() => {
            globalThis.inputs = [];
            new PerformanceObserver((list) => globalThis.inputs.push(...list.getEntries().filter((it) => it.name === 'keydown'))).observe({ type: 'event', durationThreshold: 16 });
        });
        const pressing = (async () => {
            for (let press = 0; press < 40; press++) {
                await page.keyboard.press('f');
                await page.waitForTimeout(200);
            }
        })();
        const load = await busy(page);
        const frames = await page.evaluate(() => new Promise((resolve) => {
            const times = [];
            const end = performance.now() + 10_000;
            const frame = (now) => {
                times.push(now);
                now < end ? requestAnimationFrame(frame) : resolve(times);
            };
            requestAnimationFrame(frame);
        }));
        const part = await load();
        await pressing;
        const inputs = (await page.evaluate(() => globalThis.inputs.map((it) => it.duration))).sort((x, y) => x - y);
        clearInterval(timer);
        const gaps = frames.slice(1).map((time, index) => time - frames[index]).sort((a, b) => a - b);
        const long = gaps.filter((gap) => gap > 25).length;
        console.log(`  ${(gaps.length / ((frames.at(-1) - frames[0]) / 1000)).toFixed(1)} frames/s with 64 boards, ${n} moves; median ${gaps[gaps.length >> 1].toFixed(1)} ms, 99 % ${gaps[Math.floor(gaps.length * 0.99)].toFixed(1)} ms, ${long} of ${gaps.length} over 25 ms; ${inputs.length} of 40 keys over 16 ms, at most ${inputs.at(-1) ?? 16} ms; ${part}`);
        // On a machine with more work than processors, frames are lost to other programs.
        if (loadavg()[0] < cpus().length) {
            assert.ok(gaps.length > 580, `${gaps.length} frames in 10 s`);
            assert.ok((inputs.at(-1) ?? 0) <= 100, 'no input waits');
        }
        assert.ok(Number(/Task (\d+)/.exec(part)[1]) < 50, 'half of the main thread is free');
    },
};

const names = process.argv.slice(2);
for (const [name, run] of Object.entries(trials).filter(([name]) => !names.length || names.includes(name))) {
    const began = performance.now();
    await run();
    await Promise.all(browser.contexts().map((context) => context.close()));
    opened.splice(0).forEach((standIn) => standIn.close());
    console.log(`ok ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    assert.deepEqual(faults, [], 'the console stays empty');
}
await browser.close();
process.exit(0);
