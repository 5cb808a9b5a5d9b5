import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { parseConfig } from './parse-config.ts'

const parse = (text: string) => parseConfig({ text, file: '/c.yaml' })

const at = (line: number, column: number) => ({ from: 'file', file: '/c.yaml', line, column })

/** What is wrong with a text, as `line:column key rule`. */
const wrong = (text: string) =>
  parse(text).problems.map(({ origin, key, rule }) =>
    `${origin.from === 'file' ? `${origin.line}:${origin.column}` : origin.from} ${key} ${rule}`.replace('  ', ' '),
  )

describe('parseConfig', () => {
  it('returns the values of keys and their origins', () => {
    const { layer, problems } = parse('# mine\nserver:\n  port: 9000\n  trusted_proxies:\n    - 10.0.0.1\n')
    expect(problems).toEqual([])
    expect([...layer.values]).toEqual([
      ['server.port', 9000],
      ['server.trusted_proxies', ['10.0.0.1']],
    ])
    expect(Object.fromEntries(layer.origins)).toEqual({
      server: at(2, 1),
      'server.port': at(3, 3),
      'server.trusted_proxies': at(4, 3),
      'server.trusted_proxies[0]': at(5, 7),
    })
  })

  it.each([
    ['nothing', ''],
    ['comments', '# server:\n#   port: 1\n'],
    ['a null document', '---\n'],
    ['an empty mapping', '{}\n'],
    ['a byte order mark', '\uFEFF'],
    ['a section whose keys are commented out', 'server:\n  # port: 1\n'],
  ])('finds no values in a file of %s', (_what, text) => {
    const { layer, problems } = parse(text)
    expect([layer.values.size, problems]).toEqual([0, []])
  })

  it.each([
    ['server:\n  port: 1\n  port: 2\n', '3:3 the same key appears twice; remove one'],
    ['output: {}\n---\nserver: {}\n', '2:1 a second document starts here; the file must contain one'],
    ['server:\n\tport: 1\n', '2:1 a tab cannot indent; use spaces'],
    ['server: !local 1\n', '1:9 tags (!) are not supported; write a plain value'],
    ['server: !!binary aGk=\n', '1:9 tags (!) are not supported; write a plain value'],
    ['? [a]\n: 1\n', '1:3 a key must be text'],
    ['- server\n', '1:1 the file must contain keys and their values'],
    ['server\n', '1:1 the file must contain keys and their values'],
    ['output: *missing\n', '1:9 an alias (*) has no anchor (&) before it'],
  ])('refuses %j', (text, problem) => {
    expect(wrong(text)).toEqual([problem])
  })

  it('reports other syntax errors in the words of the parser, with their position', () => {
    expect(wrong('server: [1,\n')).toEqual([expect.stringMatching(/^2:1 the file is not valid YAML: .*]$/)])
  })

  it('reports every syntax error of a file', () => {
    expect(wrong('output: {}\noutput: {}\nserver: !x 1\nserver: 2\n')).toEqual([
      '2:1 the same key appears twice; remove one',
      '4:1 the same key appears twice; remove one',
      '3:9 tags (!) are not supported; write a plain value',
    ])
  })

  it('reports nesting that is too deep, once', () => {
    const problems = wrong(`server: ${'['.repeat(5000)}`)
    expect(problems).toContainEqual(expect.stringContaining('the file is nested too deeply'))
    expect(problems.length).toBeLessThan(5)
  })

  it('refuses aliases that multiply', () => {
    const rows = [
      'a: &a [x, x, x, x, x, x]',
      ...'bcdef'.split('').map((name, index) => `${name}: &${name} [${Array(6).fill(`*${'abcde'[index]}`)}]`),
    ]
    expect(wrong(rows.join('\n'))).toEqual(['2:8 aliases (*) multiply beyond 100'])
  })

  it('expands aliases', () => {
    const { layer } = parse('session: {default_tags: &tags [a, b]}\nserver: {trusted_proxies: *tags}\n')
    expect(layer.values.get('server.trusted_proxies')).toEqual(['a', 'b'])
  })

  it('reads yes and no as text, even if the file declares YAML 1.1', () => {
    expect(parse('%YAML 1.1\n---\noutput:\n  color: yes\n').layer.values.get('output.color')).toBe('yes')
  })

  it.each([
    ['server:\n  prot: 1\n', '2:3 server.prot is not a known key; did you mean server.port?'],
    ['port: 1\n', '1:1 port is not a known key; did you mean server.port?'],
    ['server.port: 1\n', '1:1 ["server.port"] is not a known key; did you mean server.port?'],
    ['<<: {server: {}}\n', '1:1 ["<<"] is not a known key'],
    ['__proto__: {server: {}}\n', '1:1 __proto__ is not a known key'],
    ['constructor: 1\n', '1:1 constructor is not a known key'],
    ['server: 1\n', '1:1 server is a section and must contain keys'],
    ['backends:\n  codex: [1]\n', '2:3 backends.codex is a section and must contain keys'],
    ['server:\n  port:\n', '2:3 server.port has no value; set it or remove the key'],
    ['backends:\n  cursor: {}\n', '2:3 backends.cursor needs protocol: acp and a command'],
    ['retry: {global: {enabled: true}}\n', expect.stringMatching(/^1:1 retry is not supported: /)],
    ['mcp:\n', expect.stringMatching(/^1:1 mcp is not supported: /)],
    ['server:\n  policy: {enabled: true}\n', expect.stringMatching(/^2:3 server.policy is not supported: /)],
    [
      'session:\n  auto_resume: false\n',
      expect.stringMatching(/^2:3 session.auto_resume is not supported: .* never continues a session on its own/),
    ],
    [
      'server:\n  api_keys: [hunter2]\n',
      '2:3 server.api_keys is not supported: the file may not contain API keys; set DROVER_API_KEYS, keep them in gopass (server.api_keys_gopass_path) or list their SHA-256 digests in server.keys',
    ],
  ])('refuses %j', (text, problem) => {
    expect(wrong(text)).toEqual([problem])
    expect(parse(text).layer.values.size).toBe(0)
  })

  it('returns every problem of a file, and the valid values', () => {
    const { layer, problems } = parse('prot: 1\nserver:\n  host: ::1\n  hots: x\nmcp: {}\n')
    expect(problems.map(({ key }) => key)).toEqual(['prot', 'server.hots', 'mcp'])
    expect([...layer.values]).toEqual([['server.host', '::1']])
  })

  it('does not crash or hang on any text', () => {
    const bits = fc.constantFrom(
      'server',
      'port',
      ':',
      ' ',
      '\n',
      '- ',
      '[',
      '{',
      '&a',
      '*a',
      '!',
      '"',
      "'",
      '|',
      '#',
      '\t',
      '?',
      '---',
      '%',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(bits, fc.string()), { maxLength: 40 }), (parts) => {
        expect(parse(parts.join('')).problems).toBeInstanceOf(Array)
      }),
    )
  })

  it('reads back every map of aliases that YAML can write', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (aliases) => {
        const { layer, problems } = parse(stringify({ backends: { codex: { model_aliases: aliases } } }))
        expect(problems).toEqual([])
        expect(layer.values.get('backends.codex.model_aliases')).toEqual(aliases)
      }),
    )
  })
})
