import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { ISSUE_URL } from '../../test/support/source-bundle.ts'
import type { Fault } from '../kit/fault.ts'
import { fetchEnvelope } from '../source/fetch-envelope.ts'
import { locateGh, quoteGh } from './gh.ts'

const HEX = '0123456789abcdef0123456789abcdef01234567'

/** Forms in which gh could print a token that is not in the environment. */
const SAID = [
  ['bare', HEX],
  ['in a header of the scheme token', `Authorization: token ${HEX}`],
  ['in a header of an unknown scheme', `Authorization: Quux ${HEX}`],
  ['behind a name without a colon', `X-Token ${HEX}`],
  ['with dots', `ghs_${HEX.slice(0, 8)}.${HEX}.${HEX}`],
  ['behind something else', `oauthGHP_${HEX}`],
  ['in capitals', `GHP_${HEX.toUpperCase()}`],
] as const

describe('what gh says', () => {
  it.each(SAID)('is quoted without a token %s', (_name, words) => {
    const quoted = quoteGh(`panic: sent ${words} to api`)
    expect(quoted).toMatch(/^panic: sent .*\[redacted\] to api$/)
    expect(quoted.toLowerCase()).not.toContain(HEX.slice(0, 8))
  })

  it('may contain words of up to 19 characters, but not of 20', () => {
    expect(quoteGh(`${'x'.repeat(19)} ${'x'.repeat(20)}`)).toBe(`${'x'.repeat(19)} [redacted]`)
  })

  it('is quoted without control characters and partial characters', () => {
    expect(quoteGh('a\u001b[0m\ud800')).toBe('a?[0m\ufffd')
  })
})

/** The failure when gh ends with this code after printing these texts. */
async function failureOf(ends: { code: number; stdout: string; stderr: string }): Promise<Fault> {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'out'), ends.stdout)
  writeFileSync(join(directory, 'err'), ends.stderr)
  writeFileSync(join(directory, 'gh'), `#!/bin/sh\ncd '${directory}'; cat out; cat err >&2; exit ${ends.code}\n`)
  chmodSync(join(directory, 'gh'), 0o755)
  const gh = locateGh({ env: { PATH: `${directory}:/usr/bin:/bin` }, cwd: directory })
  const { signal } = new AbortController()
  return await fetchEnvelope({ url: ISSUE_URL, gh, clock: { now: () => new Date(0) }, signal }).then(
    () => expect.unreachable(),
    (fault: Fault) => fault,
  )
}

const saidOf = ({ message, details }: Fault) => JSON.stringify({ message, details }).toLowerCase()

describe('a failure of gh', () => {
  it.each(SAID)('shows no token %s from stderr', async (_name, words) => {
    const fault = await failureOf({ code: 1, stdout: '', stderr: `oops: ${words}\n` })
    expect(fault.code).toBe('gh_failed')
    expect(saidOf(fault)).not.toContain(HEX.slice(0, 8))
  })

  it.each(SAID)('shows no token %s from an error of GitHub', async (_name, words) => {
    const fault = await failureOf({ code: 1, stdout: JSON.stringify({ errors: [{ message: words }] }), stderr: '' })
    expect(fault.code).toBe('gh_failed')
    expect(saidOf(fault)).not.toContain(HEX.slice(0, 8))
  })

  it('shows at most 300 characters of the message', async () => {
    const fault = await failureOf({ code: 1, stdout: '', stderr: 'ab '.repeat(200) })
    expect(fault.details).toEqual({ problem: 'ab '.repeat(100) })
  })

  it.each(SAID)('shows no token %s from the keys of an answer', async (_name, words) => {
    const fault = await failureOf({ code: 0, stdout: `{"${words}":{"a":1,"a":2}}`, stderr: '' })
    expect(fault.code).toBe('provider_answer_invalid')
    expect(saidOf(fault)).not.toContain(HEX.slice(0, 8))
  })
})
