/**
 * What a run is after the last record of its journal, as `run.json` has it. It is derived from the journal, and there only so
 * that a long one need not be read again. Three lines of JSON, the first of which is
 *
 *     {"format":"drover-run/v1","version":"0.1.0","dev":"…","ino":"…","size":"…","mtime_ns":"…","ctime_ns":"…",
 *      "sequence":12,"chain":"sha256:…","sha256":"sha256:…"}
 *
 * - `version` is that of drover: what another one wrote may mean something else. Within one version, whoever changes what a
 *   run holds changes the format.
 * - `dev` to `ctime_ns` are what the system says of the journal, `sequence` and `chain` are those of its last record.
 * - `sha256` is the digest of three fields: `drover-run/v1`, the first line up to the comma in front of `"sha256"`, and the
 *   bytes of the other two lines. So a file that is torn or damaged is none.
 *
 * The second line has what git showed, the third all else. Only the second has integers past 2^53; the third can be very long
 * and is left to `JSON`, which takes a tenth of the time. By the digest it is what was written.
 */
import type { BigIntStats } from 'node:fs'
import type { Run } from '../engine/state/run.ts'
import { digestFields, isDigest } from '../kit/digest.ts'
import type { JsonValue } from '../kit/json/json-value.ts'
import { readJson } from '../kit/json/read-json.ts'
import { writeJson } from '../kit/json/write-json.ts'
import { encodeUtf8 } from '../kit/utf8.ts'
import type { JournalEnd } from './record.ts'

const FORMAT = 'drover-run/v1'
const LF = '\n'
const END = /"sequence":(?<sequence>[0-9]+),"chain":"(?<chain>[^"]+)","sha256":"[^"]+"\}\n$/

const STAMP = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const

/** By what a journal is known to be the one that it was, without being read. */
export type JournalStamp = Pick<BigIntStats, (typeof STAMP)[number]>

export function isSameStamp(one: JournalStamp, other: JournalStamp): boolean {
  return STAMP.every((field) => one[field] === other[field])
}

/** Which drover it is, and which journal in which state. */
export type Occasion = { readonly version: string; readonly stamp: JournalStamp }

/** A run, and the end of the journal that makes it. */
export type RunSnapshot = { readonly run: Run; readonly end: JournalEnd }

export function encodeSnapshot({ run, end }: RunSnapshot, occasion: Occasion): Buffer {
  const { initial_git, current_git, ...rest } = run
  const git = writeJson({ initial_git, current_git } as unknown as JsonValue)
  const body = encodeUtf8(`${git}\n${JSON.stringify(rest)}\n`)
  return Buffer.concat([encodeUtf8(headerOf(factsOf(occasion, end), body)), body])
}

/** The run that a file holds for this occasion; undefined if it was written for another, or is not what was written. */
export function decodeSnapshot(bytes: Buffer, occasion: Occasion): RunSnapshot | undefined {
  const bodyStart = bytes.indexOf(LF) + 1
  const [header, body] = [bytes.toString('utf8', 0, bodyStart), bytes.subarray(bodyStart)]
  const end = endIn(header)
  if (end === undefined) return undefined
  const facts = factsOf(occasion, end)
  // What is of another occasion is found out before anything long is hashed or parsed.
  if (!header.startsWith(facts) || header !== headerOf(facts, body)) return undefined
  const git = body.subarray(0, body.indexOf(LF))
  const seen = readJson(git, { input: 'what git showed', limitBytes: git.length }) as object
  return { run: { ...NOTHING, ...JSON.parse(body.toString('utf8', git.length)), ...seen }, end }
}

/** What JSON leaves out of a run that lacks it. */
const NOTHING: { readonly [F in keyof Run as undefined extends Run[F] ? F : never]: undefined } = {
  pause_reason: undefined,
  pinned_source: undefined,
  source_candidate: undefined,
  last_resume_result: undefined,
  current_action: undefined,
  summary: undefined,
}

/** The first line up to its digest. */
function factsOf({ version, stamp }: Occasion, { sequence, chain }: JournalEnd): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = stamp
  const journal = { dev: `${dev}`, ino: `${ino}`, size: `${size}`, mtime_ns: `${mtimeNs}`, ctime_ns: `${ctimeNs}` }
  return JSON.stringify({ format: FORMAT, version, ...journal, sequence, chain }).slice(0, -1)
}

function headerOf(facts: string, body: Uint8Array): string {
  return `${facts},"sha256":"${digestFields([FORMAT, facts, body])}"}\n`
}

function endIn(header: string): JournalEnd | undefined {
  const { sequence, chain = '' } = END.exec(header)?.groups ?? {}
  return isDigest(chain) ? { sequence: Number(sequence), chain } : undefined
}
