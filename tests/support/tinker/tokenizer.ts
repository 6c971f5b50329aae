/**
 * A small tokenizer as files on disk, as one would come with a model's weights: bytes, the words of a toy game as tokens
 * of their own, and a chat template that knows tools, drops earlier thoughts and asks for `enable_thinking`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The characters that stand for the 256 bytes in byte-level vocabularies. */
function byteCharacters(): string[] {
  const plain = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let shifted = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(plain(byte) ? byte : 256 + shifted++));
}

const special = ["<|im_start|>", "<|im_end|>"] as const;
const words = [
  "<think>",
  "</think>",
  "<tool_call>",
  "</tool_call>",
  "system",
  "user",
  "assistant",
  " red",
  " green",
  " blue",
  "\\boxed{left}",
  "\\boxed{middle}",
  "\\boxed{right}",
] as const;

const added = [...special, ...words];
export const vocabularySize = 256 + added.length;

/** The id of a special token or a word of the toy game. */
export function idOf(token: (typeof special)[number] | (typeof words)[number]): number {
  return 256 + added.indexOf(token);
}

/** Ids of a byte's character. */
export const newline = 10;

export const chatTemplate = `
{%- set ns = namespace(asked=-1) -%}
{%- for message in messages -%}
  {%- if message.role == 'user' -%}{%- set ns.asked = loop.index0 -%}{%- endif -%}
{%- endfor -%}
{%- if tools -%}
  {{- '<|im_start|>system\\nTools:' -}}
  {%- for tool in tools -%}{{- '\\n' ~ (tool | tojson) -}}{%- endfor -%}
  {{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
  {{- '<|im_start|>' ~ message.role ~ '\\n' -}}
  {%- set said = message.content -%}
  {%- if message.role == 'assistant' and '</think>' in said and loop.index0 < ns.asked -%}
    {%- set said = said.split('</think>')[-1].lstrip('\\n') -%}
  {%- endif -%}
  {{- said -}}
  {%- for call in message.tool_calls or [] -%}
    {{- '<tool_call>{"name": ' ~ (call.function.name | tojson) ~ ', "arguments": ' ~ (call.function.arguments | tojson) ~ '}</tool_call>' -}}
  {%- endfor -%}
  {{- '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
  {{- '<|im_start|>assistant\\n' -}}
  {%- if enable_thinking is defined and enable_thinking is false -%}{{- '<think>\\n\\n</think>\\n\\n' -}}{%- endif -%}
{%- endif -%}`;

/** Writes the two files into a folder. */
export function writeTokenizer(folder: string, template: string = chatTemplate): void {
  mkdirSync(folder, { recursive: true });
  const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true };
  const tokenizer = {
    version: "1.0",
    added_tokens: added.map((content, at) => ({
      id: 256 + at,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: at < special.length,
    })),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: "",
      end_of_word_suffix: "",
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries(byteCharacters().map((character, byte) => [character, byte])),
      merges: [],
    },
  };
  writeFileSync(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  writeFileSync(
    join(folder, "tokenizer_config.json"),
    JSON.stringify({ chat_template: template, eos_token: { content: "<|im_end|>", special: true } }),
  );
}
