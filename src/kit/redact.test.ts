import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactFields, redactLine, redactSecrets } from './redact.ts'

describe('redactFields', () => {
  it('redacts by field name what no pattern could find', () => {
    expect(
      redactFields({
        api_key: 'x',
        'X-Api-Key': 'x',
        keys: ['kept'],
        deep: [{ refresh_token: { any: 'thing' }, input_tokens: 12 }],
        DROVER_API_KEYS: 'a,b',
        message: 'the token bucket',
      }),
    ).toEqual({
      api_key: '[redacted]',
      'X-Api-Key': '[redacted]',
      keys: ['kept'],
      deep: [{ refresh_token: '[redacted]', input_tokens: 12 }],
      DROVER_API_KEYS: '[redacted]',
      message: 'the token bucket',
    })
  })

  it.each([[null], [undefined], [5], ['text'], [new Date(0)]])('does not change %j', (value) => {
    expect(redactFields(value)).toBe(value)
  })
})

describe('redactLine', () => {
  const name = fc.stringMatching(
    /^([A-Za-z0-9]{1,3}[-_]){0,2}(api[-_]?keys?|access_?key|privatekey|secrets?|passwords?|passwds?|passphrase|credentials?|authorization|(id_)?token|cookie)$/,
  )

  it('redacts the value of a secret name at any depth', () => {
    fc.assert(
      fc.property(name, fc.jsonValue(), (field, value) => {
        const line = `${JSON.stringify({ msg: 'x', deep: [{ [field]: value }] })}\n`
        expect(redactLine(line)).toBe(`${JSON.stringify({ msg: 'x', deep: [{ [field]: '[redacted]' }] })}\n`)
      }),
    )
  })

  it('redacts a secret in any text, and the line stays JSON', () => {
    expect(redactLine('{"api_keys":["aaaaaaaa"],"n":1,"msg":"got sk-abcdefghijkl"}\n')).toBe(
      '{"api_keys":"[redacted]","n":1,"msg":"got [redacted]"}\n',
    )
  })

  it('does not change a line without secrets', () => {
    expect(redactLine('{"a": 1.0}\n')).toBe('{"a": 1.0}\n')
  })
})

describe('redactSecrets', () => {
  it.each([
    ['a key of drover', `got drover_key_${'0a'.repeat(24)} twice`, 'got [redacted] twice'],
    ['an OpenAI key', 'key sk-proj-Abc_123-def456 used', 'key [redacted] used'],
    ['an Anthropic key', 'sk-ant-api03-AAAABBBBCCCC', '[redacted]'],
    ['a Google key', 'AIzaSyA1234567890abcdefghij', '[redacted]'],
    ['a GitHub token', 'ghp_0123456789abcdefABCD', '[redacted]'],
    ['a GitHub token of an OAuth app', 'gho_0123456789abcdefABCD', '[redacted]'],
    ['a GitHub token of a user of an app', 'ghu_0123456789abcdefABCD', '[redacted]'],
    ['a GitHub token of an app', 'ghs_0123456789abcdefABCD', '[redacted]'],
    ['a GitHub token to refresh another', 'ghr_0123456789abcdefABCD', '[redacted]'],
    ['a GitHub token with dots', 'ghs_1234_eyJhbGciOiJSUzI1NiJ9.e30.c2ln_bmF0', '[redacted]'],
    ['a GitHub token behind a name, in capitals', 'my_GHP_0123456789ABCDEFABCD', 'my_[redacted]'],
    ['a fine-grained GitHub token', 'github_pat_11ABCDEFG0123456789', '[redacted]'],
    ['a GitLab token', 'glpat-0123456789abcdefgh', '[redacted]'],
    ['a Slack token', 'xoxb-123456789012-abc', '[redacted]'],
    ['an AWS key id', 'AKIAIOSFODNN7EXAMPLE', '[redacted]'],
    ['a temporary AWS key id', 'ASIAIOSFODNN7EXAMPLE', '[redacted]'],
    ['a web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', '[redacted]'],
    ['a bearer header', 'authorization: Bearer abcdef0123456789', 'authorization: Bearer [redacted]'],
    ['a bearer key without its header', 'sent BEARER abcdef0123456789', 'sent BEARER [redacted]'],
    ['a basic key without its header', 'sent Basic dXNlcjpwYXNz', 'sent Basic [redacted]'],
    ['a secret by its name', 'client_secret=hunter22', 'client_secret=[redacted]'],
    ['a passphrase by its name', 'passphrase: hunter22', 'passphrase: [redacted]'],
    ['credentials by their name', '{"credentials":"hunter22"}', '{"credentials":"[redacted]"}'],
    ['a cookie by its name', 'Cookie: id=hunter22', 'Cookie: [redacted]'],
    ['a header of another scheme', 'Authorization: token 0123456789abcdef', 'Authorization: [redacted]'],
    ['a token without a colon', `X-Token ${'0f'.repeat(20)} sent`, 'X-Token [redacted] sent'],
    ['a key header in JSON', '{"x-api-key":"hunter22","a":1}', '{"x-api-key":"[redacted]","a":1}'],
    [
      'a key inside JSON inside JSON',
      '{"m":"{\\"api_key\\":\\"hunter22\\"}"}',
      '{"m":"{\\"api_key\\":\\"[redacted]\\"}"}',
    ],
    ['an environment line', 'ANTHROPIC_API_KEY=hunter22 next', 'ANTHROPIC_API_KEY=[redacted] next'],
    ['several keys in one variable', 'DROVER_API_KEYS=aaaaaaaa,bbbbbbbb next', 'DROVER_API_KEYS=[redacted] next'],
    ['a list of keys', '{"api_keys":["aaaaaaaa","bbbbbbbb"],"a":1}', '{"api_keys":[redacted],"a":1}'],
    ['a token by its name', '{"token":"hunter22","b":2}', '{"token":"[redacted]","b":2}'],
    ['a header without a scheme', 'authorization: hunter22', 'authorization: [redacted]'],
    ['a password of several words', '{"password":"two words","a":1}', '{"password":"[redacted]","a":1}'],
    ['a key that is cut off', '{"m":"-----BEGIN PRIVATE KEY-----\\nabc","a":1}', '{"m":"[redacted]","a":1}'],
    ['a password in a URL', 'postgres://me:hunter22@db/x', 'postgres://[redacted]@db/x'],
    ['a password in a URL behind a dash', 'url=-https://me:hunter22@db/x', 'url=-https://[redacted]@db/x'],
    ['a web token behind a dash', 'jwt-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'jwt-[redacted]'],
    ['a web token that is cut off', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx', '[redacted]'],
    ['a query parameter', '/v1?api_key=hunter22&x=1', '/v1?api_key=[redacted]&x=1'],
    ['a private key', 'a -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- b', 'a [redacted] b'],
  ])('redacts %s', (_name, text, clean) => {
    expect(redactSecrets(text)).toBe(clean)
  })

  it.each([
    'a request of 200 tokens took 30 ms',
    '{"input_tokens":1200,"cached_tokens":0}',
    'the basic idea: a risk-averse disk-based sk-1',
    'a token bucket: 5 per second',
    '{"total_tokens":1200}',
    'https://github.com/owner/repo/issues/1',
    'sha256:0123456789abcdef0123456789abcdef',
  ])('does not change "%s"', (text) => {
    expect(redactSecrets(text)).toBe(text)
  })

  it.each([
    'a.',
    '-eyJaaaaaaaa',
    'api_key:[',
    'api_key : ',
    'a_',
    'a://',
    'a://b:',
    'Bearer ',
    'authorization:',
    'authorization: x ',
    'token ',
    'ghp_',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----"',
    '-----END ',
    'sk-',
    ' ',
    'a',
  ])('finishes on a megabyte of %j', (piece) => {
    // With a quadratic pattern each of these takes minutes, which is longer than a test may.
    const text = piece.repeat(1_048_576 / piece.length)
    expect(redactSecrets(text).length).toBeGreaterThan(0)
  })

  it('changes nothing when applied twice', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom('sk-abcdefghijkl', 'Bearer abcdefghijkl', 'api_key=abcdef'),
        (text, secret) => {
          const once = redactSecrets(`${text} ${secret}`)
          expect(redactSecrets(once)).toBe(once)
          expect(once).not.toContain('abcdef')
        },
      ),
    )
  })
})
