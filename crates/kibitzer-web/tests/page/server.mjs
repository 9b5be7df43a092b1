// A stand-in for the server of the page, for its tests: plays a recording, or events that a test adds. See docs/protocol.md.
//
//     node server.mjs RECORDING [--port N] [--play]
//
// KIBITZER names the program that decodes recordings.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { initial, reduce } from '../../page/state.js';

const PAGE = fileURLToPath(new URL('../../page/', import.meta.url));
/** The openings are shared with the console. */
const OPENINGS = fileURLToPath(new URL('../../../kibitzer/src/openings.txt', import.meta.url));
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', txt: 'text/plain' };

/** The events from which a game is built. */
const OF_GAMES = new Set(['position', 'holding', 'game_created', 'game_info', 'game_ended', 'observing', 'analysis']);

/** The events that `kibitzer decode` prints for a recording, without the times of replies, which the page measures itself. */
export function decode(file) {
    const text = execFileSync(process.env.KIBITZER ?? 'kibitzer', ['decode', file], { maxBuffer: 1 << 28, encoding: 'utf8' });
    return text.split('\n').filter(Boolean).map((line) => JSON.parse(line)).filter((event) => event.event !== 'answered');
}

/** Writes the squares as the first field of a FEN. */
export function placementOf(cells) {
    const rows = Array.from({ length: 8 }, (_, row) => cells.slice(row * 8, row * 8 + 8));
    return rows.map((row) => row.map((cell) => cell || '1').join('').replace(/1+/g, (run) => String(run.length))).join('/');
}

export class StandIn {
    constructor(events, { kind = 'recording', write = false } = {}) {
        this.events = events;
        this.next = 0;
        this.run = 1;
        this.ring = [];
        this.state = initial();
        this.viewers = new Set();
        this.line = { state: kind === 'recording' ? 'paused' : 'live', t: 0, rate: kind === 'recording' ? 0 : 1, silent_ms: 0, text: null, retry_in_ms: null };
        this.source = { kind, name: 'recording.jsonl', handle: events.find((event) => event.event === 'logged_in')?.name ?? null };
        this.tokens = { ...(kind === 'recording' ? { control: 'control-token' } : {}), ...(write ? { write: 'write-token' } : {}) };
        this.speed = 1;
        this.commands = [];
        /** Answers a command; returns the content of its reply, or a refusal. */
        this.onCommand = () => ({ kind: 'text', content: { lines: [] } });
        this.server = createServer((request, response) => this.answer(request, response).catch((error) => response.writeHead(500).end(String(error))));
        this.timer = setInterval(() => this.tick(0.05), 50);
        this.beats = setInterval(() => this.sendLine(), 1000);
    }

    listen(port = 0) {
        return new Promise((resolve) => this.server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${this.server.address().port}/`)));
    }

    close() {
        clearInterval(this.timer);
        clearInterval(this.beats);
        this.server.closeAllConnections();
        this.server.close();
    }

    write(text) {
        this.viewers.forEach((viewer) => viewer.write(text));
    }

    send(name, data) {
        this.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    }

    sendLine(change = {}) {
        Object.assign(this.line, change);
        this.send('line', this.line);
    }

    sendLegal(legal) {
        this.lastLegal = legal;
        this.send('legal', legal);
    }

    emit(event) {
        const id = `${this.run}.${(this.count = (this.count ?? 0) + 1)}`;
        this.ring.push({ id, event });
        this.state = reduce(this.state, [{ type: 'message', id, data: event }]);
        this.write(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`);
    }

    tick(seconds) {
        this.line.t += seconds * this.line.rate;
        while (this.line.rate && this.next < this.events.length && (this.events[this.next].t ?? 0) <= this.line.t) {
            this.emit(this.events[this.next++]);
            if (this.next === this.events.length && this.source.kind === 'recording') {
                this.sendLine({ state: 'at_end', rate: 0 });
            }
        }
    }

    reset(reason) {
        const open = this.ring.map((row) => row.event).filter((event) => event.event === 'challenge' && this.state.questions.some((it) => it.key === event.from));
        const state = [...[...this.state.games.values()].flatMap((game) => [game.info, game.board, game.analysis, game.result].filter(Boolean)), ...open];
        return { reason, missed: null, t: this.line.t, source: this.source, tokens: this.tokens, state, recent: this.ring.slice(-500) };
    }

    /** Goes to the first `n` events. */
    goTo(n, t) {
        Object.assign(this, { run: this.run + 1, ring: [], state: initial(), count: 0, next: 0, viewers: new Set() }, { viewers: this.viewers });
        const viewers = this.viewers;
        this.viewers = new Set();
        while (this.next < n) {
            this.emit(this.events[this.next++]);
        }
        this.viewers = viewers;
        this.line.t = t ?? this.events[n - 1]?.t ?? 0;
        this.write(`id: ${this.run}.${this.count}\nevent: reset\ndata: ${JSON.stringify(this.reset('seek'))}\n\n`);
        this.sendLine();
    }

    control({ control, t, rate }) {
        const boards = this.events.flatMap((event, index) => (event.event === 'position' ? [index + 1] : []));
        switch (control) {
            case 'play': this.sendLine({ state: 'playing', rate: this.speed }); break;
            case 'pause': this.sendLine({ state: 'paused', rate: 0 }); break;
            case 'speed': this.speed = rate; this.sendLine({ rate: this.line.rate && rate }); break;
            case 'seek': this.goTo(this.events.filter((event) => event.t <= t).length, t); break;
            case 'back': Object.assign(this.line, { state: 'paused', rate: 0 }); this.goTo(boards.filter((it) => it < this.next).at(-1) ?? 0); break;
            case 'step': {
                const until = boards.find((it) => it > this.next) ?? this.events.length;
                while (this.next < until) {
                    this.emit(this.events[this.next++]);
                }
                this.sendLine({ state: 'paused', rate: 0, t: this.events[this.next - 1]?.t ?? 0 });
            }
        }
    }

    async answer(request, response) {
        const url = new URL(request.url, 'http://localhost');
        const [, first, second] = decodeURIComponent(url.pathname).split('/');
        const json = (value, status = 200) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
        response.setHeader('Content-Security-Policy', "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
        response.setHeader('X-Content-Type-Options', 'nosniff');
        if (first === 'events') {
            response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
            const index = this.ring.findIndex((row) => row.id === request.headers['last-event-id']);
            response.write(index >= 0 ? this.ring.slice(index + 1).map((row) => `id: ${row.id}\ndata: ${JSON.stringify(row.event)}\n\n`).join('')
                : `id: ${this.ring.at(-1)?.id ?? `${this.run}.0`}\nevent: reset\ndata: ${JSON.stringify(this.reset('start'))}\n\n`);
            response.write(`event: line\ndata: ${JSON.stringify(this.line)}\n\n${this.lastLegal ? `event: legal\ndata: ${JSON.stringify(this.lastLegal)}\n\n` : ''}`);
            this.viewers.add(response);
            request.on('close', () => this.viewers.delete(response));
        } else if (first === 'rows') {
            this.rows(url.searchParams, json);
        } else if (first === 'row') {
            const row = this.ring.find((it) => it.id === second);
            const text = row && (row.event.text ?? row.event.fen ?? row.event.event);
            json(row ? { bytes: Buffer.from(`${text}\n\r`).toString('hex'), class: 'line', line: text, text } : { error: 'not in the ring' });
        } else if (first === 'timeline') {
            const duration = this.events.at(-1)?.t ?? 0;
            const bins = Array(300).fill(0);
            this.events.forEach((event) => { bins[Math.min(299, Math.floor((event.t / (duration || 1)) * 300))] += 1; });
            json({ duration_s: duration, bins, marks: this.events.filter((event) => ['lost', 'missed', 'desync', 'cut', 'game_ended'].includes(event.event)).map(({ t, event }) => ({ t, event })) });
        } else if (first === 'game') {
            const of = this.ring.filter(({ event }) => OF_GAMES.has(event.event) && event.game === parseInt(second));
            response.end(of.map((row) => JSON.stringify(row.event)).join('\n'));
        } else if (first === 'command' && request.method === 'POST') {
            let body = '';
            for await (const part of request) {
                body += part;
            }
            const command = JSON.parse(body);
            const right = command.control ? 'control' : 'write';
            if (!this.tokens[right] || request.headers.authorization !== `Bearer ${this.tokens[right]}`) {
                json({ error: `no right to ${right}` }, 403);
            } else if (command.control) {
                this.control(command);
                response.writeHead(204).end();
            } else {
                this.commands.push(command.command);
                json({ event: 'reply', offset: null, id: command.id, ...this.onCommand(command) });
            }
        } else {
            const file = first || 'index.html';
            const content = readFileSync(file === 'openings.txt' ? OPENINGS : PAGE + file.replaceAll('/', ''));
            response.writeHead(200, { 'Content-Type': TYPES[file.split('.').pop()] ?? 'text/plain' }).end(content);
        }
    }

    /** Filters by `kind:` and words alone. */
    rows(query, json) {
        const terms = (query.get('filter') ?? '').split(' ').filter(Boolean);
        if (terms.some((term) => /^(?!kind:)\w+:/.test(term))) {
            json({ error: 'unknown term at 1' });
            return;
        }
        const matches = ({ event }) => terms.every((term) => (term.startsWith('kind:') ? term.slice(5).split(',').includes(event.event) : JSON.stringify(event).includes(term)));
        const index = (id, other) => { const found = this.ring.findIndex((row) => row.id === id); return found < 0 ? other : found; };
        const rows = this.ring.slice(index(query.get('after'), -1) + 1, index(query.get('before'), this.ring.length)).filter(matches);
        json({ rows: rows.slice(-Number(query.get('limit') ?? 200)), through: this.ring.at(-1)?.id ?? '' });
    }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [file, ...rest] = process.argv.slice(2);
    const port = Number(rest[rest.indexOf('--port') + 1]) || 8765;
    const standIn = new StandIn(decode(file));
    console.log(await standIn.listen(port));
    standIn.control({ control: rest.includes('--play') ? 'play' : 'step' });
}
