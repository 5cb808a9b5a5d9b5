// The model that the standard tests of LangChain expect (langchain_tests.integration_tests): it does what their prompts ask for.
// The last match counts, because earlier messages are in the prompt too.

const JOKE = { setup: 'Why do cats sit on keyboards?', punchline: 'To keep an eye on the mouse.' };
const CUSTOMER = { description: 'a company' };

const RULES = [
  [/magic_function\(3\)\? Use the tool/, 'magic_function', { input: 3 }],
  [/magic_function_no_args\(\)\? Use the tool/, 'magic_function_no_args', {}],
  [/Hello!/, 'magic_function', { input: 1 }],
  [/generate a Pirate greeting/, 'greeting_generator', { answer_style: 'pirate' }],
  [/What is 3 \+ 4/, 'my_adder_tool', { a: 3, b: 4 }],
  // goose adds the time and the directory.
  [/weather in San Francisco, CA\?\s*(?:<turn-context>|$)/, 'get_weather', { location: 'San Francisco, CA' }],
  [/joke about cats/, 'Joke(?:Dict)?', JOKE],
  [/named '你好啊集团'/, 'unicode_customer', { ...CUSTOMER, customer_name: '你好啊集团' }],
  [/named 'こんにちは株式会社'/, 'unicode_customer', { ...CUSTOMER, customer_name: 'こんにちは株式会社' }],
];

/** Undefined: a prompt of no such test, or the function has been called. */
export function standardReply(t) {
  const rule = RULES.findLast(([asks]) => asks.test(t.prompt));
  if (!rule || t.toolResults > 0) return undefined;
  const [, name, args] = rule;
  return { parts: [t.wantsJson ? { structured: args } : { call: new RegExp(`(?:^|client_+)${name}$`), args }] };
}
