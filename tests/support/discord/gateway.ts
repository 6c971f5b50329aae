/** Gateway: sessions over WebSocket that identify, resume with what they missed, and end in every way that Discord's do. */
import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import type { Json } from "./wire.ts";

const op = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  ack: 11,
};
const packetShape = z.looseObject({ op: z.number(), d: z.unknown() });
const identifyShape = z.looseObject({ token: z.string(), intents: z.number() });
const resumeShape = z.looseObject({ token: z.string(), session_id: z.string(), seq: z.number().nullable() });

/** The intent that suffices for everything the bot does. */
const guildsIntent = 1;

interface Session {
  readonly id: string;
  readonly intents: number;
  /** Everything dispatched, so that a resume can replay what it missed. */
  readonly events: { readonly s: number; readonly text: string }[];
  seq: number;
  socket: WebSocket | null;
  resumable: boolean;
}

export interface GatewayOptions {
  readonly token: string;
  /** Between heartbeats, milliseconds. */
  readonly heartbeatMs: number;
  /** Whether intents other than Guilds are let in; otherwise they end with 4014. */
  readonly anyIntents: boolean;
  /** The payload of READY without what only the gateway knows. */
  readonly ready: () => Json;
  /** Events that follow READY. */
  readonly greetings: () => readonly { readonly t: string; readonly d: Json }[];
  readonly problem: (text: string) => void;
  readonly changed: () => void;
}

export class Gateway {
  /** How many clients have identified, and how many resumed. */
  identifies = 0;
  resumes = 0;
  /** Connections that were refused. */
  refused = 0;
  /** Close codes that the server sent. */
  readonly closes: number[] = [];
  readonly #options: GatewayOptions;
  readonly #sockets: WebSocketServer;
  readonly #sessions = new Map<string, Session>();
  #url = "";
  #acks = true;
  #refuseUntil = 0;
  #hangUntil = 0;
  readonly #hanging = new Set<Duplex>();
  #invalidateNextResume = false;

  constructor(server: Server, options: GatewayOptions) {
    this.#options = options;
    this.#sockets = new WebSocketServer({ noServer: true });
    server.on("upgrade", (request, socket, head) => {
      const wait = this.#hangUntil - performance.now();
      if (wait > 0) {
        const timer = setTimeout(() => {
          this.#hanging.delete(socket);
          this.#sockets.handleUpgrade(request, socket, head, (ws) => this.#greet(ws));
        }, wait);
        this.#hanging.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => {
          clearTimeout(timer);
          this.#hanging.delete(socket);
        });
        return;
      }
      if (performance.now() < this.#refuseUntil || !request.url?.startsWith("/gateway")) {
        this.refused += 1;
        socket.destroy();
        this.#options.changed();
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (ws) => this.#greet(ws));
    });
  }

  get url(): string {
    return this.#url;
  }

  listenOn(port: number): void {
    this.#url = `ws://127.0.0.1:${port}/gateway`;
  }

  /** Sessions with a client at the other end right now. */
  get connected(): number {
    return [...this.#sessions.values()].filter(({ socket }) => socket !== null).length;
  }

  /** Connections that hang. */
  get waiting(): number {
    return this.#hanging.size;
  }

  /** Sends an event to every session, also to those that are away: they get it when they resume. */
  dispatch(t: string, d: Json): void {
    for (const session of this.#sessions.values()) this.#send(session, t, d);
  }

  /** Asks every client to reconnect (op 7); they resume. */
  reconnect(): void {
    this.#each((socket) => socket.send(JSON.stringify({ op: op.reconnect, d: null })));
  }

  /** Tells every client that its session is invalid (op 9). */
  invalidate(resumable = false): void {
    for (const session of this.#sessions.values()) if (!resumable) session.resumable = false;
    this.#each((socket) => socket.send(JSON.stringify({ op: op.invalid, d: resumable })));
  }

  /** Answers the next resume with INVALID_SESSION, so that the client identifies anew. */
  refuseNextResume(): void {
    this.#invalidateNextResume = true;
  }

  /** Closes every connection with a code: 4000 resumes, 4004 and 4014 end the client. */
  close(code: number, reason = ""): void {
    this.closes.push(code);
    this.#each((socket) => socket.close(code, reason));
  }

  /**
   * Tears every connection without a close. New ones are refused for `refuseMs` (a client that is refused gives its
   * session up, identifies anew, and never hears of what happened meanwhile), or wait for `hangMs` and then resume.
   */
  drop({ refuseMs = 0, hangMs = 0 }: { readonly refuseMs?: number; readonly hangMs?: number } = {}): void {
    this.#refuseUntil = performance.now() + refuseMs;
    this.#hangUntil = performance.now() + hangMs;
    for (const session of this.#sessions.values()) {
      const { socket } = session;
      session.socket = null;
      socket?.terminate();
    }
  }

  /** Whether heartbeats are answered; a client that isn't answered gives its connection up and resumes. */
  set acknowledges(on: boolean) {
    this.#acks = on;
  }

  stop(): void {
    for (const socket of this.#hanging) socket.destroy();
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
  }

  #each(act: (socket: WebSocket) => void): void {
    for (const { socket } of this.#sessions.values()) if (socket !== null) act(socket);
  }

  #send(session: Session, t: string, d: Json): void {
    session.seq += 1;
    const text = JSON.stringify({ op: op.dispatch, t, s: session.seq, d });
    session.events.push({ s: session.seq, text });
    if (session.socket?.readyState === WebSocket.OPEN) session.socket.send(text);
  }

  #greet(socket: WebSocket): void {
    let session: Session | null = null;
    const { heartbeatMs } = this.#options;
    socket.on("error", () => undefined);
    socket.on("close", (code) => {
      if (session === null || session.socket !== socket) return;
      session.socket = null;
      // A client that says goodbye ends its session; any other loss can be resumed.
      if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
      this.#options.changed();
    });
    socket.on("message", (data) => {
      const packet = packetShape.parse(JSON.parse(String(data)));
      if (packet.op === op.heartbeat) {
        if (this.#acks) socket.send(JSON.stringify({ op: op.ack }));
      } else if (packet.op === op.identify) session = this.#identify(socket, packet.d);
      else if (packet.op === op.resume) session = this.#resume(socket, packet.d);
      else if (packet.op !== 3) this.#options.problem(`GATEWAY sent op ${packet.op}, which nothing needs`);
      this.#options.changed();
    });
    socket.send(JSON.stringify({ op: op.hello, d: { heartbeat_interval: heartbeatMs } }));
  }

  #identify(socket: WebSocket, data: unknown): Session | null {
    const { token, intents } = identifyShape.parse(data);
    this.identifies += 1;
    if (token !== this.#options.token) return this.#end(socket, 4004, "Authentication failed.");
    if (intents !== guildsIntent && !this.#options.anyIntents) {
      return this.#end(socket, 4014, "Disallowed intent(s).");
    }
    const session: Session = {
      id: randomBytes(16).toString("hex"),
      intents,
      events: [],
      seq: 0,
      socket,
      resumable: true,
    };
    this.#sessions.set(session.id, session);
    this.#send(session, "READY", {
      ...this.#options.ready(),
      session_id: session.id,
      resume_gateway_url: this.#url,
      shard: [0, 1],
    });
    for (const { t, d } of this.#options.greetings()) this.#send(session, t, d);
    return session;
  }

  #resume(socket: WebSocket, data: unknown): Session | null {
    const { token, session_id: id, seq } = resumeShape.parse(data);
    if (token !== this.#options.token) return this.#end(socket, 4004, "Authentication failed.");
    const session = this.#sessions.get(id);
    if (session === undefined || !session.resumable || this.#invalidateNextResume) {
      this.#invalidateNextResume = false;
      this.#sessions.delete(id);
      socket.send(JSON.stringify({ op: op.invalid, d: false }));
      return null;
    }
    this.resumes += 1;
    // After an invalid session that may be resumed, the client resumes on the same connection.
    if (session.socket !== socket) session.socket?.terminate();
    session.socket = socket;
    for (const { s, text } of session.events) if (s > (seq ?? 0)) socket.send(text);
    this.#send(session, "RESUMED", {});
    return session;
  }

  #end(socket: WebSocket, code: number, reason: string): null {
    this.closes.push(code);
    socket.close(code, reason);
    return null;
  }
}
