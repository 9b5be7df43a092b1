// The page with the program itself as its server, in a real browser. Needs what browser.mjs needs.
//
//     KIBITZER=target/debug/kibitzer MODULES=/path/with/node_modules/ node program.mjs [NAME]...
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { decode } from './server.mjs';

const require = createRequire(process.env.MODULES ?? import.meta.url);
const { chromium } = require('playwright-core');
const RECORDINGS = fileURLToPath(new URL('../../../../tests/transcripts/', import.meta.url));
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
const faults = [];
const programs = [];

/** Starts the program, and returns the address of its page. */
const start = (...options) => run('web', '--listen', '127.0.0.1:0', ...options);

/** Starts a command of the program, and returns the address that it prints. */
function run(...options) {
    const program = spawn(process.env.KIBITZER ?? 'kibitzer', options);
    programs.push(program);
    return new Promise((resolve, reject) => {
        let said = '';
        [program.stdout, program.stderr].forEach((out) => out.on('data', (data) => {
            said += data;
            const link = /http:\S+|^127[\d.:]+/.exec(said);
            if (link) resolve(link[0]);
        }));
        program.on('exit', () => reject(new Error(said)));
    });
}

async function open(address) {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.stack));
    await page.goto(address);
    return page;
}

async function until(read, accepts, what, seconds = 30) {
    let found;
    for (let n = 0; n < seconds * 20; n++) {
        found = await read();
        if (accepts(found)) return found;
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${what}: ${JSON.stringify(found)}`);
}

/** Reads the stream of events beside the page. */
class Stream {
    constructor(address) {
        this.address = address;
        this.events = [];
        this.resets = [];
        this.legal = new Map();
    }

    async open(last) {
        this.stop = new AbortController();
        const answer = await fetch(`${this.address}events`, { headers: last ? { 'Last-Event-ID': last } : {}, signal: this.stop.signal });
        this.reading = this.read(answer.body.pipeThrough(new TextDecoderStream())).catch(() => {});
    }

    async read(pieces) {
        let rest = '';
        for await (const piece of pieces) {
            const messages = (rest + piece).split('\n\n');
            rest = messages.pop();
            for (const message of messages) {
                const fields = Object.fromEntries(message.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
                const data = JSON.parse(fields.data);
                if (fields.id) this.last = fields.id;
                if (fields.event === 'legal') this.legal.set(data.game, data);
                else if (fields.event === 'line') this.line = data;
                else if (fields.event === 'reset') this.resets.push(data);
                else this.events.push(data);
            }
        }
    }
}

const drawn = (page, host = '#board') => page.evaluate((selector) => {
    const cells = Array(64).fill('');
    const turned = document.querySelector(`${selector} .coordinates text:nth-child(2)`)?.textContent === '1';
    for (const use of document.querySelectorAll(`${selector} g.pieces use`)) {
        const index = (Number(use.getAttribute('y')) / 100) * 8 + Number(use.getAttribute('x')) / 100;
        const letter = use.getAttribute('href').slice(1);
        cells[turned ? 63 - index : index] = use.classList.contains('white') ? letter.toUpperCase() : letter;
    }
    const rows = Array.from({ length: 8 }, (_, row) => cells.slice(row * 8, row * 8 + 8).map((it) => it || '1').join('').replace(/1+/g, (ones) => ones.length));
    return rows.join('/');
}, host);

async function square(page, name) {
    const flipped = await page.evaluate(() => document.querySelector('#board .coordinates text:nth-child(2)')?.textContent === '1');
    const box = await page.locator('#board svg').boundingBox();
    const [file, row] = ['abcdefgh'.indexOf(name[0]), 8 - Number(name[1])].map((it) => (flipped ? 7 - it : it));
    return [box.x + ((file + 0.5) * box.width) / 8, box.y + ((row + 0.5) * box.height) / 8];
}

const trials = {
    async demoShowsThreeMovingBoards() {
        const page = await open(await start());
        const boards = () => page.locator('.card').evaluateAll((cards) => cards.map((card) => [...card.querySelectorAll('g.pieces use')].map((use) => `${use.getAttribute('href')}${use.getAttribute('x')},${use.getAttribute('y')}`).join()));
        const first = await until(boards, (found) => found.length >= 3, 'three boards');
        await until(boards, (found) => first.filter((board, index) => found[index] !== board).length >= 3, 'each of them moves', 60);
    },

    async aGamePlayedByDrag() {
        const address = await start('--write', '--speed', '10');
        const stream = new Stream(address);
        await stream.open();
        const page = await open(address);
        await until(() => page.locator('.card').count(), (found) => found > 0, 'a board');
        await page.fill('#command', 'match Whetstone 5 0 unrated white');
        await page.keyboard.press('Enter');
        const own = () => stream.events.findLast((event) => event.event === 'position' && event.own);
        await until(own, Boolean, 'the game begins');
        let plies = 0;
        const ended = () => stream.events.find((event) => event.event === 'game_ended' && event.own);
        while (!ended() && plies < 30) {
            const board = await until(own, (found) => found?.relation === 1 || ended(), 'my turn');
            if (ended()) break;
            const legal = await until(() => stream.legal.get(board.game), (found) => found?.fen === board.fen, 'legal moves');
            await until(() => drawn(page), (found) => found === board.fen.split(' ')[0], 'the board is drawn');
            const moves = legal.moves.filter((move) => move.length === 4);
            if (!moves.length) break;
            const move = moves[(plies * 7) % moves.length];
            await page.mouse.move(...(await square(page, move.slice(0, 2))));
            await page.mouse.down();
            await page.mouse.move(...(await square(page, move.slice(2))), { steps: 3 });
            await page.mouse.up();
            await until(own, (found) => found.fen !== board.fen, `${move} is played`);
            plies += 1;
        }
        assert.ok(plies > 0);
        if (!ended()) {
            await page.fill('#command', 'resign');
            await page.keyboard.press('Enter');
        }
        await until(ended, Boolean, 'the end');
        // The large board is that of an observed game by then.
        await until(() => page.evaluate(() => document.body.textContent), (found) => found.includes(`${ended().result} ${ended().reason}`), 'the result is shown');
        console.log(`  ${plies} moves by drag, ${ended().text}`);
        for (const [command, answer] of [['date', 'Server time'], ['finger Whetstone', 'Whetstone'], ['finger Noplayer', '']]) {
            await page.fill('#command', command);
            await page.keyboard.press('Enter');
            await until(() => page.textContent('#answer'), (found) => (answer ? found.includes(answer) : found === ''), `the answer to ${command}`);
        }
    },

    async movesBeforeTheFirstBoard() {
        const server = await run('serve', '--port', '0', '--speed', '30');
        const page = await open(await start('--write', server));
        await until(() => page.textContent('#line'), (found) => found.includes('connected'), 'the login');
        await new Promise((resolve) => setTimeout(resolve, 3000));
        await page.fill('#command', 'observe 1');
        await page.keyboard.press('Enter');
        await until(() => page.locator('#move-list button').allTextContents(), (found) => found.length > 5 && found[0] === 'Start', 'the moves from the start');
        const address = page.url();
        await until(async () => (await fetch(`${address}game/1.pgn`)).text(), (pgn) => /^1\. /m.test(pgn), 'the PGN from the start');
        assert.doesNotMatch(await page.textContent('#status'), /moves from/);
    },

    async everyPlyOfARecording() {
        const file = `${RECORDINGS}fatics-multi-observer.jsonl`;
        const boards = decode(file).filter((event) => event.event === 'position');
        const page = await open(await start(file));
        for (const [index, event] of boards.entries()) {
            if (index > 0) await page.click('#step');
            const card = `.card[data-game="${event.game}"] >> nth=0`;
            await page.waitForSelector(card);
            const key = await page.locator(card).evaluate((it) => it.dataset.key);
            await until(() => drawn(page, `[data-key=${key}]`), (found) => found === event.fen.split(' ')[0], `board at ${event.t}`, 10);
        }
        await page.click('#back');
        await page.click(`.card[data-game="${boards.at(-2).game}"] >> nth=0`);
        await until(() => drawn(page), (found) => found === boards.at(-2).fen.split(' ')[0], 'back');
    },

    async cutStreamsLoseNothing() {
        const file = `${RECORDINGS}fatics-multi-observer.jsonl`;
        const expected = decode(file);
        const address = await start(file);
        const stream = new Stream(address);
        await stream.open();
        await until(() => stream.resets[0], Boolean, 'the first reset');
        const control = (body) => fetch(`${address}command`, { method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${stream.resets[0].tokens.control}` }, body: JSON.stringify(body) });
        const known = stream.resets[0].recent.map((row) => row.event);
        await control({ control: 'speed', rate: 20 });
        await control({ control: 'play' });
        for (let cut = 0; cut < 10; cut++) {
            await new Promise((resolve) => setTimeout(resolve, 50));
            stream.stop.abort();
            await stream.reading;
            await new Promise((resolve) => setTimeout(resolve, 30));
            await stream.open(stream.last);
        }
        await until(() => stream.line?.state, (found) => found === 'at_end', 'the end');
        assert.equal(stream.resets.length, 1);
        assert.deepEqual([...known, ...stream.events], expected);
        const exported = await (await fetch(`${address}export?form=json`)).text();
        assert.deepEqual(exported.split('\n').filter(Boolean).map((line) => JSON.parse(line)), expected);
    },

    async everyFormIsDownloaded() {
        const page = await open(await start(`${RECORDINGS}uhlinfics-game-mate-1-Alice.jsonl`));
        await page.click('[data-tab=stream]');
        await page.waitForSelector('.row.position');
        for (let n = 1; n <= 2; n++) {
            await page.click('#step');
            await until(() => page.locator('#move-list button').count(), (moves) => moves > n, 'a move');
        }
        const files = { recording: 'session.jsonl', json: 'events.jsonl', pgn: 'games.pgn', text: 'events.txt', test: 'test_of_game.rs' };
        for (const [form, file] of Object.entries(files)) {
            await page.selectOption('#export select', form);
            await page.setChecked('#export-game', form === 'test');
            const [download] = await Promise.all([page.waitForEvent('download'), page.click('#export button')]);
            assert.equal(download.suggestedFilename(), file);
            assert.ok((await readFile(await download.path())).length > 100, form);
        }
        // Why there is no file is said in place.
        await page.fill('#filter', 'kind:shout');
        await page.keyboard.press('Enter');
        await page.click('#export button');
        await until(() => page.textContent('#export-error'), Boolean, 'a refusal');
    },
};

const names = process.argv.slice(2);
let failed = 0;
for (const [name, trial] of Object.entries(trials).filter(([name]) => !names.length || names.includes(name))) {
    const began = performance.now();
    try {
        await trial();
        assert.deepEqual(faults.splice(0), []);
        console.log(`ok ${name} ${Math.round(performance.now() - began)} ms`);
    } catch (error) {
        failed += 1;
        console.log(`FAILED ${name}: ${error.stack}`);
    }
}
await browser.close();
programs.forEach((program) => program.kill());
process.exitCode = failed ? 1 : 0;
