/** Images and documents that a prompt comes with, and how an agent gets them that takes them as files. Pure. */
import { join } from 'node:path'

/** The types that a prompt may come with, and how their files end. */
export const FILE_ENDINGS = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
} as const
export type MediaType = keyof typeof FILE_ENDINGS

export type AttachedFile = {
  /** By its content. */
  mediaType: MediaType
  /** In base64. */
  data: string
  size: number
  digest: string
  /** For people. */
  name?: string | undefined
}

export function isImage({ mediaType }: Pick<AttachedFile, 'mediaType'>): boolean {
  return mediaType.startsWith('image/')
}

export function isDocument(file: Pick<AttachedFile, 'mediaType'>): boolean {
  return !isImage(file)
}

/** The parts of a request for an agent that decide about files. */
type Attached = { attachments?: readonly AttachedFile[] | undefined; scratchDirectory: string; isDryRun: boolean }
type ScratchFile = AttachedFile & { path: string }

/** Where the attachments are that an agent reads from files. */
const ATTACHMENTS = 'attachments'

export function placeFiles(
  { attachments = [], scratchDirectory, isDryRun }: Attached,
  isWanted: (file: AttachedFile) => boolean,
): ScratchFile[] {
  const directory = join(isDryRun ? '<scratch>' : scratchDirectory, ATTACHMENTS)
  return attachments.flatMap((file, at) =>
    isWanted(file) ? [{ ...file, path: join(directory, `${at + 1}.${FILE_ENDINGS[file.mediaType]}`) }] : [],
  )
}

/** For the `files` of a command. */
export function toScratchFiles(
  files: readonly ScratchFile[],
  { isDryRun }: Pick<Attached, 'isDryRun'>,
): { path: string; content: Uint8Array }[] {
  return isDryRun ? [] : files.map(({ path, data }) => ({ path, content: Buffer.from(data, 'base64') }))
}

/** Tells the agent where files are that it has to open itself. */
export function withFileNames(prompt: string, files: readonly ScratchFile[]): string {
  if (files.length === 0) return prompt
  const lines = files.map(({ path, mediaType }) => `- ${path} (${mediaType})`)
  return `${prompt}\n\nThe user has attached these files:\n${lines.join('\n')}`
}
