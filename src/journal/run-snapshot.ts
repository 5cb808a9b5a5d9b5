/** Reads and writes `run.json`. If anything is wrong with it, the journal is read instead, so it may be deleted at any time. */
import type { BigIntStats } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Run } from '../engine/state/run.ts'
import { digestFields, isDigest } from '../kit/digest.ts'
import { tryTo } from '../kit/fault.ts'
import { closeQuietly, type Disk, removeQuietly } from '../kit/files/disk.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import { removeLeftovers, temporaryName } from '../kit/files/temporary-file.ts'
import { writeFully } from '../kit/files/write-file.ts'
import { readJson } from '../kit/json/read-json.ts'
import { writeJson } from '../kit/json/write-json.ts'
import type { JsonValue } from '../kit/json-value.ts'
import { encodeUtf8 } from '../kit/utf8.ts'
import { type JournalEnd, recordEnding } from './hash-chain.ts'
import type { OpenJournal } from './open-journal.ts'
import { type RunStore, snapshotPathIn } from './run-store.ts'

/** A larger snapshot is neither written nor read. */
export const SNAPSHOT_LIMIT_BYTES = 64 * 1024 * 1024

/** The snapshot beside an open journal; undefined if there is none that matches the journal. */
export function readRunSnapshot(
  journal: OpenJournal,
  stamp: JournalStamp,
  { version, disk }: RunStore,
): RunSnapshot | undefined {
  if (version === undefined) return undefined
  const bytes = readQuietly(snapshotPathIn(dirname(journal.path)), disk)
  const snapshot = bytes && decodeSnapshot(bytes, { version, stamp })
  // The directory may have been renamed to the id of another run.
  if (snapshot?.run.id !== journal.runId) return undefined
  return endsWith(journal, { size: Number(stamp.size), ending: recordEnding(snapshot.end) }, disk)
    ? snapshot
    : undefined
}

/** Requires the exclusive lock and a durable last record. The file is not synced: its digest reveals a torn one. */
export function writeRunSnapshot(journal: OpenJournal, snapshot: RunSnapshot, { version, disk }: RunStore): void {
  if (version === undefined) return
  const stamp = disk.fstatSync(journal.descriptor, { bigint: true })
  const bytes = encodeWithinLimit(snapshot, { version, stamp })
  if (bytes === undefined) return
  const directory = dirname(journal.path)
  removeLeftovers(directory)
  const temporary = join(directory, temporaryName())
  try {
    writeNew(temporary, bytes, disk)
    disk.renameSync(temporary, snapshotPathIn(directory))
  } catch (error) {
    removeQuietly(temporary, disk)
    throw error
  }
}

function encodeWithinLimit(snapshot: RunSnapshot, key: SnapshotKey): Buffer | undefined {
  try {
    const bytes = encodeSnapshot(snapshot, key)
    return bytes.length > SNAPSHOT_LIMIT_BYTES ? undefined : bytes
  } catch (error) {
    // `JSON.stringify` throws this if the text would exceed the maximum string length of 512 MiB.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function readQuietly(path: string, disk: Disk): Buffer | undefined {
  return tryTo(() => readFileBytes({ path, limitBytes: SNAPSHOT_LIMIT_BYTES }, disk))
}

type Expected = { readonly size: number; readonly ending: Buffer }

function endsWith({ descriptor }: OpenJournal, { size, ending }: Expected, disk: Disk): boolean {
  const found = Buffer.alloc(ending.length)
  const count = disk.readSync(descriptor, found, 0, found.length, size - ending.length)
  return count === ending.length && found.equals(ending)
}

function writeNew(path: string, bytes: Buffer, disk: Disk): void {
  const descriptor = disk.openSync(path, 'wx', 0o600)
  try {
    writeFully({ descriptor, bytes }, disk)
  } finally {
    closeQuietly(descriptor, disk)
  }
}

/**
 * The format of `run.json`, the snapshot of a run after the last record of its journal. It is derived from the journal, so
 * that a long journal need not be read again. It has three lines of JSON. The first is
 *
 *     {"format":"drover-run/v1","version":"0.2.0","dev":"…","ino":"…","size":"…","mtime_ns":"…","ctime_ns":"…",
 *      "sequence":12,"chain":"sha256:…","sha256":"sha256:…"}
 *
 * - `version` is the version of drover: a snapshot of another version is ignored. A change of the fields of a run within one
 *   version needs a new format.
 * - `dev` to `ctime_ns` come from the stat of the journal; `sequence` and `chain` are those of its last record.
 * - `sha256` is the digest of three fields: `drover-run/v1`, the first line up to the comma in front of `"sha256"`, and the
 *   bytes of the other two lines. So a torn or damaged file is ignored.
 *
 * The second line holds the git observations, the third everything else. Only the second has integers past 2^53. The third
 * can be very long, so it is parsed with `JSON`, which takes a tenth of the time.
 */
const FORMAT = 'drover-run/v1'
const LF = '\n'
const END = /"sequence":(?<sequence>[0-9]+),"chain":"(?<chain>[^"]+)","sha256":"[^"]+"\}\n$/

const STAMP_FIELDS = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const

/** If these are unchanged, the journal is unchanged. */
export type JournalStamp = Pick<BigIntStats, (typeof STAMP_FIELDS)[number]>

export function isSameStamp(one: JournalStamp, other: JournalStamp): boolean {
  return STAMP_FIELDS.every((field) => one[field] === other[field])
}

/** The drover version and the state of the journal that a snapshot is valid for. */
export type SnapshotKey = { readonly version: string; readonly stamp: JournalStamp }

/** A run, and the end of the journal that it was computed from. */
export type RunSnapshot = { readonly run: Run; readonly end: JournalEnd }

export function encodeSnapshot({ run, end }: RunSnapshot, key: SnapshotKey): Buffer {
  const { initial_git, current_git, ...rest } = run
  const git = writeJson({ initial_git, current_git } as unknown as JsonValue)
  const body = encodeUtf8(`${git}\n${JSON.stringify(rest)}\n`)
  return Buffer.concat([encodeUtf8(writeHeader(headerFields(key, end), body)), body])
}

/** Undefined if the snapshot was written for another key, or is damaged. */
export function decodeSnapshot(bytes: Buffer, key: SnapshotKey): RunSnapshot | undefined {
  const bodyStart = bytes.indexOf(LF) + 1
  const [header, body] = [bytes.toString('utf8', 0, bodyStart), bytes.subarray(bodyStart)]
  const end = parseEnd(header)
  if (end === undefined) return undefined
  const fields = headerFields(key, end)
  // A snapshot for another key is rejected before the body is hashed and parsed.
  if (!header.startsWith(fields) || header !== writeHeader(fields, body)) return undefined
  const git = body.subarray(0, body.indexOf(LF))
  const observations = readJson(git, { input: 'the git observations', limitBytes: git.length }) as object
  return { run: { ...ABSENT, ...JSON.parse(body.toString('utf8', git.length)), ...observations }, end }
}

/** The fields that JSON omits if they are undefined. */
const ABSENT: { readonly [F in keyof Run as undefined extends Run[F] ? F : never]: undefined } = {
  pause_reason: undefined,
  pinned_source: undefined,
  source_candidate: undefined,
  last_resume_result: undefined,
  current_action: undefined,
  summary: undefined,
}

/** The first line up to its digest. */
function headerFields({ version, stamp }: SnapshotKey, { sequence, chain }: JournalEnd): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = stamp
  const journal = { dev: `${dev}`, ino: `${ino}`, size: `${size}`, mtime_ns: `${mtimeNs}`, ctime_ns: `${ctimeNs}` }
  return JSON.stringify({ format: FORMAT, version, ...journal, sequence, chain }).slice(0, -1)
}

function writeHeader(fields: string, body: Uint8Array): string {
  return `${fields},"sha256":"${digestFields([FORMAT, fields, body])}"}\n`
}

function parseEnd(header: string): JournalEnd | undefined {
  const { sequence, chain = '' } = END.exec(header)?.groups ?? {}
  return isDigest(chain) ? { sequence: Number(sequence), chain } : undefined
}
