// Plays a game against Whetstone of `kibitzer serve`: node play.mjs [SERVER]
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const PLAN = "e4 d4 Nf3 Be2 O-O c3 Re1 h3 a4 Nbd2 b3 Bb2 Qc2 Rad1 g3 b4".split(" ");
const command = ["connect", process.argv[2] ?? "demo", "--json"];
const kibitzer = spawn(process.env.KIBITZER ?? "kibitzer", command, { stdio: ["pipe", "pipe", "inherit"] });
const answers = new Map();
let [lastId, fen] = [0, ""];

function request(command, conditions = {}) {
  const id = ++lastId;
  kibitzer.stdin.write(JSON.stringify({ id, command, ...conditions }) + "\n");
  return new Promise((resolve) => answers.set(id, resolve));
}

async function move(game) {
  for (const command of [...PLAN, "resign"]) {
    const answer = await request(command, { game, expires_ms: 30_000 });
    if (answer.content?.reason !== "illegal_move") return;
  }
}

process.exitCode = 1;
for await (const line of createInterface({ input: kibitzer.stdout })) {
  const event = JSON.parse(line);
  if (event.event === "reply" || event.event === "failed") {
    answers.get(event.id)(event);
    answers.delete(event.id);
  } else if (event.event === "session_ready") {
    request("match Whetstone 5 0 unrated white");
  } else if (event.event === "position" && event.relation === 1 && event.fen !== fen) {
    fen = event.fen; // a refused move repeats the board
    move(event.game);
  } else if (event.event === "game_ended") {
    console.log(event.white, event.black, event.result, event.reason);
    request("quit");
    process.exitCode = 0;
  }
}
