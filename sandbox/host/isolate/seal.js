/*
 * The seal: takes away or replaces everything in the isolate's globals that could tell one run, machine or moment from
 * another, or that reaches memory which the isolate's limit does not count. It runs after the context exists, since
 * globals deleted from a startup snapshot come back. What the driver needs of it stays in `prelude`.
 */
(function seal() {
  const { apply, construct, deleteProperty, ownKeys } = Reflect;
  const asText = String;
  const define = (target, name, value) =>
    Object.defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });
  const pin = (target, name, value) =>
    Object.defineProperty(target, name, { value, writable: false, enumerable: false, configurable: false });

  const kept =
    `prelude Object Function Array Number Boolean String Symbol BigInt Math JSON Reflect Proxy Map Set WeakMap
    WeakSet Promise RegExp Date Iterator Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError
    URIError ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array
    Float16Array Float32Array Float64Array BigInt64Array BigUint64Array parseFloat parseInt isNaN isFinite encodeURI
    encodeURIComponent decodeURI decodeURIComponent escape unescape eval globalThis undefined NaN Infinity`.split(
      /\s+/,
    );
  for (const name of ownKeys(globalThis)) {
    if (!kept.includes(name) && !deleteProperty(globalThis, name)) {
      throw new Error(`the global ${String(name)} can't be removed`);
    }
  }

  // sfc32: small, fast, and equal on every machine.
  let a = 0;
  let b = 0;
  let c = 0;
  let counter = 1;
  const draw = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  const { floor } = Math;
  prelude.seedRandom = (seed) => {
    a = seed | 0;
    b = floor(seed / 4_294_967_296) | 0;
    c = 0x9e3779b9 | 0;
    counter = 1;
    for (let i = 0; i < 12; i += 1) draw();
  };
  define(Math, "random", () => ((draw() >>> 5) * 67_108_864 + (draw() >>> 6)) / 9_007_199_254_740_992);

  // Dates stand still at a fixed moment; the prototype must not lead back to the real constructor.
  const RealDate = Date;
  prelude.now = RealDate.now;
  const moment = 1_767_225_600_000;
  function FrozenDate(...given) {
    if (new.target === undefined) return new RealDate(moment).toString();
    return construct(RealDate, given.length === 0 ? [moment] : given, new.target);
  }
  define(FrozenDate, "now", () => moment);
  define(FrozenDate, "parse", RealDate.parse);
  define(FrozenDate, "UTC", RealDate.UTC);
  pin(FrozenDate, "prototype", RealDate.prototype);
  Object.defineProperty(FrozenDate, "name", { value: "Date", configurable: true });
  Object.defineProperty(FrozenDate, "length", { value: 7, configurable: true });
  define(RealDate.prototype, "constructor", FrozenDate);
  define(globalThis, "Date", FrozenDate);
  delete RealDate.prototype.toTemporalInstant;

  // Growable buffers lie outside the memory limit, so the option that asks for one is dropped.
  const RealBuffer = ArrayBuffer;
  function FixedBuffer(length) {
    if (new.target === undefined) throw new TypeError("Constructor ArrayBuffer requires 'new'");
    return construct(RealBuffer, [length], new.target);
  }
  define(FixedBuffer, "isView", RealBuffer.isView);
  Object.defineProperty(
    FixedBuffer,
    Symbol.species,
    Object.getOwnPropertyDescriptor(RealBuffer, Symbol.species),
  );
  pin(FixedBuffer, "prototype", RealBuffer.prototype);
  Object.defineProperty(FixedBuffer, "name", { value: "ArrayBuffer", configurable: true });
  define(RealBuffer.prototype, "constructor", FixedBuffer);
  define(globalThis, "ArrayBuffer", FixedBuffer);

  // Whatever asks the locale answers as American English would, options aside from the number of digits.
  const { getTime, toISOString } = RealDate.prototype;
  const localeDate = (from, to) =>
    function toLocaleText() {
      if (Number.isNaN(apply(getTime, this, []))) return "Invalid Date";
      return apply(toISOString, this, []).slice(from, to).replace("T", ", ");
    };
  define(RealDate.prototype, "toLocaleString", localeDate(0, 19));
  define(RealDate.prototype, "toLocaleDateString", localeDate(0, 10));
  define(RealDate.prototype, "toLocaleTimeString", localeDate(11, 19));
  const grouped = (digits) => {
    const [whole, fraction] = digits.split(".");
    const parted = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return fraction === undefined ? parted : `${parted}.${fraction}`;
  };
  const { toFixed } = Number.prototype;
  define(Number.prototype, "toLocaleString", function numberText(_locale, options) {
    const value = Number(this);
    const least = Number(options?.minimumFractionDigits ?? 0);
    const most = Math.max(least, Number(options?.maximumFractionDigits ?? Math.max(3, least)));
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value < 0 ? "-∞" : "∞";
    if (Math.abs(value) >= 1e21) return String(value);
    let digits = apply(toFixed, value, [most]);
    while (digits.includes(".") && digits.endsWith("0") && digits.length - digits.indexOf(".") - 1 > least) {
      digits = digits.slice(0, -1);
    }
    return grouped(digits.endsWith(".") ? digits.slice(0, -1) : digits);
  });
  define(BigInt.prototype, "toLocaleString", function bigintText() {
    return grouped(String(this));
  });
  define(String.prototype, "localeCompare", function localeCompare(other) {
    const left = String(this);
    const right = String(other);
    return left < right ? -1 : left > right ? 1 : 0;
  });
  define(String.prototype, "toLocaleLowerCase", String.prototype.toLowerCase);
  define(String.prototype, "toLocaleUpperCase", String.prototype.toUpperCase);

  // A stack shows the environment's own frames alone: the driver's differ by the way in which it was called.
  const render = (error, frames) => {
    let text = "Error";
    try {
      text = asText(error);
    } catch {}
    for (let i = 0; i < frames.length; i += 1) {
      const frame = frames[i];
      if (frame.getScriptNameOrSourceURL() !== "environment.js") continue;
      const place = `environment.js:${frame.getLineNumber()}:${frame.getColumnNumber()}`;
      const name = frame.getFunctionName();
      text += name === null ? `\n    at ${place}` : `\n    at ${name} (${place})`;
    }
    return text;
  };
  pin(Error, "prepareStackTrace", render);
  pin(Error, "stackTraceLimit", 10);
})();
