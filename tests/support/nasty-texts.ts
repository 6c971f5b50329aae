/** Nasty texts: what a model or a person may write to break out of a message, drawn from a seed. */
import { keyedRandom } from "../../config/random.ts";

const bits: readonly string[] = [
  "@everyone ",
  "@here",
  "<@123456789012345678>",
  "<@&123456789012345678>",
  "<#123456789012345678>",
  "</round:123456789012345678>",
  "<id:customize>",
  "<a:wave:123456789012345678>",
  "<t:99999999999999999999:R>",
  "`",
  "``",
  "```",
  "````js\n",
  "\n```\n",
  "~~~",
  "**bold**",
  "__under__ _it_",
  "~~gone~~",
  "||spoiler||",
  "\n# Heading\n",
  "\n-# small\n",
  "\n> quote\n>>> more\n",
  "\n- item\n* item\n1. item\n",
  "[click](https://evil.example/a_b)",
  "https://discord.gg/abc",
  "discord.gg/abc http://x.y/z?q=1",
  "<https://evil.example>",
  "https://discord.com/channels/1/2/3",
  "\\",
  "\\\\`",
  "\u202eabc\u202c",
  "\u2067rtl\u2069 مرحبا שלום",
  "\u200b\u200b\u2060\ufeff",
  "a\u200bb\u00adc",
  "\ud800",
  "\udfff x \ud83d",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  "Z̸̢̧͍̲̅̈́a̷̡̛l̵g̴o",
  "漢字かな交じり文",
  "\u0000\u0007\u001b[31mred\u001b[0m",
  "\r\n\r",
  "\u2028\u2029\u0085",
  "\t\t",
  "\n\n\n\n\n",
  "   ",
  "\u3164\u115f\u2800",
  "&lt;script&gt; <script>alert(1)</script>",
  "$(rm -rf /) %s %n",
  "../../etc/passwd",
  "\"quotes\" and 'ticks'",
  "word ",
  "x".repeat(80),
];

/** The nasty text of that number: mostly short, some long, a few of 100,000 characters. */
export function nastyText(number: number): string {
  const random = keyedRandom("nasty", number);
  const length = number % 50 === 0 ? 100_000 : number % 7 === 0 ? 6_000 : random.below(200);
  let text = "";
  while (text.length < length) {
    const bit = random.pick(bits);
    text += random.next() < 0.05 ? bit.repeat(30) : bit;
  }
  return text.slice(0, length);
}
