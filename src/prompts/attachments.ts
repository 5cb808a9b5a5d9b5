/** Checks the images and documents of a prompt. What they are is decided by their content. Pure. */
import { type AttachedFile, FILE_ENDINGS, type MediaType } from '../agents/adapter/attached-file.ts'
import { digest } from '../kit/digest.ts'
import { attachmentInvalid } from './faults.ts'
import type { Attachment } from './prompt-request.shape.ts'

export const ATTACHMENT_LIMITS = { count: 20, bytesEach: 5 * 1024 * 1024, bytesTotal: 20 * 1024 * 1024 } as const

/** Throws a Fault for a file that is too large or of another type, and for too many. */
export function readAttachments(given: readonly Attachment[]): AttachedFile[] {
  const { count, bytesTotal } = ATTACHMENT_LIMITS
  if (given.length > count) throw attachmentInvalid({ problem: `there are ${given.length}; at most ${count} are sent` })
  const files = given.map((each, at) => readAttachment(each, `number ${at + 1}`))
  const total = files.reduce((sum, { size }) => sum + size, 0)
  if (total > bytesTotal)
    throw attachmentInvalid({ problem: `together they have ${total} bytes; at most ${bytesTotal} are sent` })
  return files
}

/** `which` names it in an error. */
export function readAttachment({ data, media_type: said, name }: Attachment, which: string): AttachedFile {
  const { bytesEach } = ATTACHMENT_LIMITS
  const refuse = (problem: string) => attachmentInvalid({ problem: `${which} ${problem}` })
  const size = sizeOf(data)
  if (size > bytesEach) throw refuse(`has ${size} bytes; at most ${bytesEach} are sent`)
  if (!BASE64.test(data) || data.length % 4 !== 0) throw refuse('is not base64')
  const bytes = Buffer.from(data, 'base64')
  const mediaType = findType(bytes)
  if (mediaType === undefined) throw refuse('is neither a PNG, JPEG, GIF or WebP image nor a PDF document')
  if (said !== undefined && normalType(said) !== mediaType)
    throw refuse(`is ${mediaType} by its content, but media_type says ${said}`)
  return { mediaType, data, size: bytes.length, digest: digest(bytes), name }
}

/** Whether they can be sent together. */
export function areFew(given: readonly Pick<Attachment, 'data'>[]): boolean {
  const total = given.reduce((sum, { data }) => sum + sizeOf(data), 0)
  return given.length <= ATTACHMENT_LIMITS.count && total <= ATTACHMENT_LIMITS.bytesTotal
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Of the bytes that a text in base64 stands for. */
function sizeOf(data: string): number {
  return Math.floor((data.length * 3) / 4) - (data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0)
}

/** Some programs call JPEG so. */
function normalType(said: string): string {
  const type = said.toLowerCase()
  return type === 'image/jpg' ? 'image/jpeg' : type
}

/** The first bytes of each type. */
const BEGINNINGS: Record<MediaType, (start: string) => boolean> = {
  'image/png': (start) => start.startsWith('\x89PNG\r\n\x1a\n'),
  'image/jpeg': (start) => start.startsWith('\xff\xd8\xff'),
  'image/gif': (start) => start.startsWith('GIF87a') || start.startsWith('GIF89a'),
  'image/webp': (start) => start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP',
  'application/pdf': (start) => start.startsWith('%PDF-'),
}

const LONGEST_BEGINNING = 12

function findType(bytes: Buffer): MediaType | undefined {
  const start = bytes.toString('latin1', 0, LONGEST_BEGINNING)
  return (Object.keys(FILE_ENDINGS) as MediaType[]).find((type) => BEGINNINGS[type](start))
}
