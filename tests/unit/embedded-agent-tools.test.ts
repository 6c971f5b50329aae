/** Each strategy's next tool call after a hand-written history. */
import { expect, test } from "vitest";
import type { ToolDefinition } from "../../sandbox/sandbox.ts";
import { call, next, tool } from "../support/embedded-next.ts";

test("explore follows references through tools, and does what an error says", () => {
  const tools = [
    tool("open_drawer", "drawer"),
    tool("read_file", "file"),
    tool("fetch_key", "drawer"),
    tool("unlock_drawer", "drawer", "key"),
  ];
  const task = "Goal: find it.\nKnown: drawer = oak\nAnswer with: record_code";
  const open = call("open_drawer", { drawer: "oak" });
  expect(next("explore", task, [], tools)).toBe(open);
  const shut = [open, '{"error":"locked","first":"fetch_key"}'] as const;
  expect(next("explore", task, [shut], tools)).toBe(call("fetch_key", { drawer: "oak" }));
  const key = [call("fetch_key", { drawer: "oak" }), '{"drawer":"oak","key":"k-1"}'] as const;
  expect(next("explore", task, [shut, key], tools)).toBe(
    call("unlock_drawer", { drawer: "oak", key: "k-1" }),
  );
  const opened = [open, '{"drawer":"oak","file":"f-1"}'] as const;
  expect(next("explore", task, [opened], tools)).toBe(call("read_file", { file: "f-1" }));
  const busy = [call("read_file", { file: "f-1" }), '{"error":"in use","retry":true}'] as const;
  expect(next("explore", task, [opened, busy], tools)).toBe(call("read_file", { file: "f-1" }));
  const read = [call("read_file", { file: "f-1" }), '{"file":"f-1","drawer":"elm"}'] as const;
  expect(next("explore", task, [opened, read], tools)).toBe(call("open_drawer", { drawer: "elm" }));
  const last = [call("read_file", { file: "f-1" }), '{"file":"f-1","record_code":"R-9"}'] as const;
  expect(next("explore", task, [opened, last], tools)).toBe("<answer>R-9</answer>");
});

test("sweep reads every page through a tool, and makes the number of the rows that count", () => {
  const tools: ToolDefinition[] = [
    {
      name: "get_page",
      description: "Shows a page.",
      parameters: {
        type: "object",
        properties: { page: { type: "integer", minimum: 1, maximum: 2 } },
        required: ["page"],
      },
    },
  ];
  const task = "Goal: sum.\nAnswer with: sum of amount where status is paid";
  expect(next("sweep", task, [], tools)).toBe(call("get_page", { page: 1 }));
  const one = [
    call("get_page", { page: 1 }),
    '{"page":1,"rows":[{"amount":3,"status":"paid"},{"amount":5,"status":"open"}]}',
  ] as const;
  expect(next("sweep", task, [one], tools)).toBe(call("get_page", { page: 2 }));
  const two = [call("get_page", { page: 2 }), '{"page":2,"rows":[{"amount":4,"status":"paid"}]}'] as const;
  expect(next("sweep", task, [one, two], tools)).toBe("<answer>7</answer>");
});

test("sweep treats what the table of remedies names", () => {
  const tools: ToolDefinition[] = ["inspect_unit", "clear_unit"].map((name) => ({
    name,
    description: "",
    parameters: {
      type: "object",
      properties: { unit: { type: "string", enum: ["pump", "fan"] } },
      required: ["unit"],
    },
  }));
  const task = "Goal: round.\nRemedy: jammed -> clear_unit; fine -> nothing\nAnswer with: count of repairs";
  const ill = [call("inspect_unit", { unit: "pump" }), '{"unit":"pump","state":"jammed"}'] as const;
  const well = [call("clear_unit", { unit: "pump" }), '{"unit":"pump","state":"fine"}'] as const;
  const fan = [call("inspect_unit", { unit: "fan" }), '{"unit":"fan","state":"fine"}'] as const;
  expect(next("sweep", task, [ill], tools)).toBe(call("clear_unit", { unit: "pump" }));
  expect(next("sweep", task, [ill, well], tools)).toBe(call("inspect_unit", { unit: "fan" }));
  expect(next("sweep", task, [ill, well, fan], tools)).toBe("<answer>1</answer>");
});

test("dependency passes values on under their names, and calls first what a refusal names", () => {
  const tools = [
    tool("close_order", "order_id"),
    tool("open_order", "customer_id"),
    tool("find_customer", "customer"),
    tool("ask_manager"),
  ];
  const task = "Goal: close it.\nKnown: customer = mira\nAnswer with: receipt_code";
  const find = call("find_customer", { customer: "mira" });
  expect(next("dependency", task, [], tools)).toBe(find);
  const found = [find, '{"customer_id":"c-1"}'] as const;
  expect(next("dependency", task, [found], tools)).toBe(call("open_order", { customer_id: "c-1" }));
  const refused = [
    call("open_order", { customer_id: "c-1" }),
    '{"error":"not agreed","first":"ask_manager"}',
  ] as const;
  expect(next("dependency", task, [found, refused], tools)).toBe(call("ask_manager", {}));
  const agreed = [call("ask_manager", {}), '{"agreed":true}'] as const;
  expect(next("dependency", task, [found, refused, agreed], tools)).toBe(
    call("open_order", { customer_id: "c-1" }),
  );
  const opened = [call("open_order", { customer_id: "c-1" }), '{"order_id":"o-1"}'] as const;
  const closed = [call("close_order", { order_id: "o-1" }), '{"receipt_code":"R-7"}'] as const;
  expect(next("dependency", task, [found, opened, closed], tools)).toBe("<answer>R-7</answer>");
});

test("a call that may be made again is, but not for ever", () => {
  const tools = [tool("find_customer", "customer"), tool("list_rooms")];
  const task = "Goal: go.\nKnown: customer = mira\nAnswer with: receipt_code";
  const find = call("find_customer", { customer: "mira" });
  const busy = [find, '{"error":"in use","retry":true}'] as const;
  const listed = [call("list_rooms", {}), '{"rooms":2}'] as const;
  expect(next("dependency", task, [busy], tools)).toBe(find);
  expect(next("dependency", task, [listed, busy], tools)).toBe(find);
  expect(next("dependency", task, [listed, busy, busy, busy, busy], tools)).not.toBe(find);
  const refused = [find, '{"error":"no such customer"}'] as const;
  expect(next("dependency", task, [listed, refused], tools)).not.toBe(find);
});
