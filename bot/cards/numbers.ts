/** Numbers as people read them. What is not known is a dash, never a zero. */

export const unknown = "–";

/** A return, regret or reward with two decimals; `signed` shows the plus too. */
export function score(value: number | null, options: { readonly signed?: boolean } = {}): string {
  if (value === null) return unknown;
  const text = value.toFixed(2);
  // −0.001 rounds to "-0.00", which reads as a loss.
  const clean = Number(text) === 0 ? text.replace("-", "") : text;
  return options.signed === true && Number(text) > 0 ? `+${clean}` : clean;
}

/** Mean and standard error: `0.38 ±0.18`. One space, so that a narrow table breaks it before the sign. */
export function withError(mean: number | null, stderr: number | null): string {
  if (mean === null) return unknown;
  return stderr === null ? score(mean) : `${score(mean)} ±${score(stderr)}`;
}

/** A duration: `0.4 s`, `12 s`, `3 min 05 s`, `2 h 10 min`. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")} min`;
}

/** A count with its noun: `1 episode`, `3 episodes`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** 12345 → `12,345`. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/** A time of the wall clock in the local zone: `2026-03-09 14:05`. */
export function moment(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
