/** Keeps secrets out of everything that is written: by the names of the variables that hold them, and by their values. */

/** Variables whose values are secrets. */
const secretName = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)$/i;

/** Shorter values would make common words disappear from the log. */
const shortestSecret = 8;

export const censored = "[redacted]";

/** Fields of log records that hold secrets wherever they are. */
export const secretFields = [
  "apiKey",
  "api_key",
  "token",
  "secret",
  "password",
  "authorization",
  "Authorization",
].flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`]);

/** Texts that are secrets by their form: bearer headers, provider keys, keys and passwords inside URLs. */
const secretForms: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer\s+)[\w.~+/-]{8,}=*/gi, `$1${censored}`],
  [/\bsk-[\w-]{8,}/g, censored],
  [/([?&](?:api[-_]?key|key|access[-_]?token|token|sig|signature)=)[^&\s"'\\]+/gi, `$1${censored}`],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@"]*:)[^\s@/"]+@/gi, `$1${censored}@`],
];

/** Takes every secret out of a text, whether it stands there plainly or inside a JSON string. */
export type Redact = (text: string) => string;

/** A redactor for the secrets that the environment variables hold. */
export function createRedact(environment: Readonly<Record<string, string | undefined>>): Redact {
  const values = Object.entries(environment)
    .filter(([name]) => secretName.test(name))
    .flatMap(([, value]) => (value !== undefined && value.length >= shortestSecret ? [value] : []));
  const forms = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  // The longest first, so that a secret that contains another one disappears whole.
  const secrets = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const secret of secrets) clean = clean.replaceAll(secret, censored);
    for (const [form, put] of secretForms) clean = clean.replaceAll(form, put);
    return clean;
  };
}
