/** Whatever is read, the strict reader and the reader of sources answer, with a refusal that fits the contract. */

import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkSourceCandidate } from '../../src/contract/source-candidate.ts'
import { Fault } from '../../src/kit/fault.ts'
import { readJson } from '../../src/kit/json/read-json.ts'
import { readEnvelope, readSource, toCandidate } from '../../src/source/read-source.ts'
import { anyBundle, nearlyBody } from '../support/any-bundle.ts'
import { runsOf } from '../support/full-counts.ts'
import { makeBundle } from '../support/source-bundle.ts'
import { numbersOnly } from '../support/walk-message.ts'

/** `DROVER_FUZZ_RUNS` makes a long run of it. */
const RUNS = Number(process.env['DROVER_FUZZ_RUNS'] ?? runsOf(1000))
const TIMEOUT_MS = 30_000 + RUNS * 10

const stamp = { candidate_id: 'c1', created_at: '2026-01-31T12:00:00Z' }

/** Undefined for what is refused with a fault; anything else that is thrown is a bug. */
function orRefused<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

function tryParse(bytes: Uint8Array): unknown {
  try {
    return isUtf8(bytes) ? JSON.parse(Buffer.from(bytes).toString()) : undefined
  } catch {
    return undefined
  }
}

/** Some of the bytes replaced, cut out or doubled. */
function damaged(bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Buffer> {
  const damage = fc.record({
    at: fc.nat(),
    length: fc.nat({ max: 8 }),
    by: fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc.constantFrom(...['"', '\\', '{', ']', ',', '\\ud800', '1e9', '0', '\0'].map((text) => Buffer.from(text))),
    ),
  })
  return fc.tuple(bytes, fc.array(damage, { maxLength: 3 })).map(([whole, all]) =>
    all.reduce((buffer, { at, length, by }) => {
      const place = buffer.length === 0 ? 0 : at % buffer.length
      return Buffer.concat([buffer.subarray(0, place), by, buffer.subarray(place + length)])
    }, Buffer.from(whole)),
  )
}

const json = fc.oneof(
  fc.json({ stringUnit: 'binary' }).map((text) => Buffer.from(text)),
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value, null, 1))),
)

describe('the strict reader', () => {
  it('reads from any bytes only what JSON.parse reads', { timeout: TIMEOUT_MS }, () => {
    fc.assert(
      fc.property(fc.oneof(damaged(json), json, fc.uint8Array({ maxLength: 40 })), (bytes) => {
        const value = orRefused(() => readJson(bytes, { input: 'it', limitBytes: 10_000, numbers: 'any' }))
        if (value !== undefined) expect(numbersOnly(value)).toEqual(numbersOnly(tryParse(bytes)))
      }),
      { numRuns: RUNS },
    )
  })
})

describe('the reader of sources', () => {
  it('classifies any body', { timeout: TIMEOUT_MS }, () => {
    const codes = new Set<string>()
    fc.assert(
      fc.property(
        fc.oneof(
          nearlyBody,
          nearlyBody.map((text) => `<!-- drover-level: change/v2 -->\n\`\`\`drover-manifest\n${text}`),
          nearlyBody.map((text) => makeBundle({ trailing: text }).body),
        ),
        (body) => {
          const envelope = orRefused(() =>
            readEnvelope(Buffer.from(JSON.stringify(makeBundle({ envelope: { body } }))), { input: 'it' }),
          )
          if (envelope === undefined) return
          const candidate = toCandidate(envelope, readSource(envelope), stamp)
          codes.add(checkSourceCandidate(candidate).classification_code)
        },
      ),
      { numRuns: RUNS },
    )
    expect(codes).toContain('valid_change')
    expect(codes).toContain('source_manifest_invalid')
    expect(codes).toContain('change_marker_required')
  })

  it('classifies or refuses any envelope', { timeout: TIMEOUT_MS }, () => {
    const bundles = anyBundle().map((bundle) => Buffer.from(JSON.stringify(bundle)))
    let classified = 0
    fc.assert(
      fc.property(damaged(bundles), (bytes) => {
        const envelope = orRefused(() => readEnvelope(bytes, { input: 'it' }))
        if (envelope === undefined) return
        checkSourceCandidate(toCandidate(envelope, readSource(envelope), stamp))
        classified += 1
      }),
      { numRuns: RUNS },
    )
    expect(classified).toBeGreaterThan(0)
  })
})
