/** The section texts of a run, each stored once under its digest, and always before the record that refers to it. */
import { join } from 'node:path'
import { LIMITS } from '../contract/limits.ts'
import type { PinnedSource } from '../contract/pinned-source.shape.ts'
import type { Run } from '../engine/state/run.ts'
import { digestMaterial, isDigest } from '../kit/digest.ts'
import { Fault } from '../kit/fault.ts'
import { fileMissing } from '../kit/faults.ts'
import { type Disk, fileKind, syncDirectoryAt, systemReason } from '../kit/files/disk.ts'
import { ensurePrivateDirectory } from '../kit/files/private-directory.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import { createFile } from '../kit/files/write-file.ts'
import { materialBlobUnreadable } from './faults.ts'
import { materialsPathIn } from './run-store.ts'

export type Material = { readonly digest: string; readonly bytes: Uint8Array }

/** Reads a section text by its digest, or throws `material_blob_unreadable`. */
export type MaterialReader = (digest: string) => Buffer

/** The digests of all section texts that a run refers to. */
export function materialDigests(run: Run): Set<string> {
  const sources: (PinnedSource | undefined)[] = [run.pinned_source, run.source_candidate?.snapshot]
  return new Set(sources.flatMap((source) => source?.sections ?? []).map(({ material_sha256 }) => material_sha256))
}

/** Stores texts in the directory of a run. A text that is already stored is not written again. */
export function storeMaterials(directory: string, materials: readonly Material[], disk: Disk): void {
  if (materials.length === 0) return
  for (const { digest, bytes } of materials) {
    const problem = findProblem(digest, bytes)
    if (problem !== undefined) throw materialBlobUnreadable({ digest, problem })
  }
  const folder = materialsPathIn(directory)
  ensurePrivateDirectory({ path: folder }, disk)
  const distinct = [...new Map(materials.map((each) => [each.digest, each])).values()]
  const missing = distinct.filter(({ digest }) => !isStored(directory, digest, disk))
  for (const { digest, bytes } of missing)
    createFile({ path: materialPath(directory, digest), bytes, mode: 0o600 }, disk)
  // Writing a file syncs the directory. Without a write, an earlier process may have died before its sync.
  if (missing.length === 0) syncDirectoryAt(folder, disk)
}

/** Whether a text is stored; throws if the file has other content. */
function isStored(directory: string, digest: string, disk: Disk): boolean {
  try {
    materialReader(directory, disk)(digest)
    return true
  } catch (error) {
    const isMissing = error instanceof Fault && error.cause instanceof Fault && error.cause.code === fileMissing.code
    if (isMissing) return false
    throw error
  }
}

/** Throws if a text cannot be read. */
export function verifyMaterials(directory: string, digests: Iterable<string>, disk: Disk): void {
  const read = materialReader(directory, disk)
  for (const digest of digests) read(digest)
}

export function materialReader(directory: string, disk: Disk): MaterialReader {
  return (digest) => {
    if (!isDigest(digest)) throw materialBlobUnreadable({ digest, problem: 'this is not a digest' })
    const bytes = readBlob(directory, digest, disk)
    const problem = findProblem(digest, bytes)
    if (problem !== undefined) throw materialBlobUnreadable({ digest, problem })
    return bytes
  }
}

function readBlob(directory: string, digest: string, disk: Disk): Buffer {
  try {
    checkFolder(directory, digest, disk)
    return readFileBytes({ path: materialPath(directory, digest), limitBytes: LIMITS.sectionBytes }, disk)
  } catch (error) {
    const problem = error instanceof Fault ? error.message : systemReason(error)
    throw materialBlobUnreadable({ digest, problem }, error)
  }
}

/** A symbolic link in place of the directory would lead to other files. */
function checkFolder(directory: string, digest: string, disk: Disk): void {
  const folder = disk.lstatSync(materialsPathIn(directory), { bigint: true, throwIfNoEntry: false })
  if (folder?.isDirectory() === false) {
    throw materialBlobUnreadable({ digest, problem: `its directory is a ${fileKind(folder)}` })
  }
}

function findProblem(digest: string, bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return 'it is empty'
  if (bytes.length > LIMITS.sectionBytes) return `it has more than ${LIMITS.sectionBytes} bytes`
  return digestMaterial(bytes) === digest ? undefined : 'its content does not match the digest'
}

/** Removes unused texts. Failures are ignored, because a leftover text does no harm. */
export function removeMaterials(directory: string, digests: Iterable<string>, disk: Disk): void {
  for (const digest of digests) {
    try {
      checkFolder(directory, digest, disk)
      if (isDigest(digest)) disk.unlinkSync(materialPath(directory, digest))
    } catch {
      // The text does not exist, or stays.
    }
  }
}

function materialPath(directory: string, digest: string): string {
  return join(materialsPathIn(directory), digest.slice('sha256:'.length))
}
