/** Images and documents in a message, as each vendor writes them. Pure. */
import { isObject, type JsonRecord, objectAt, textAt } from '../agents/adapter/json-fields.ts'
import { requestInvalid } from '../kit/faults.ts'
import { unsupportedFeature } from './faults.ts'
import type { Attachment } from './prompt-request.shape.ts'

const DATA_URL = /^data:(?<type>[\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]*)*;base64,(?<data>.*)$/s

/** Undefined: the part is no image or document. Throws a Fault for one without content. */
export function readAttachmentPart(part: JsonRecord, place: string): Attachment | undefined {
  const name = nameOf(part)
  const named = name === undefined ? {} : { name }
  switch (textAt(part, 'type')) {
    case 'image_url':
    case 'input_image':
      return { ...readUrl(urlOf(part), `${place}.image_url`), ...named }
    case 'image':
    case 'document':
      return { ...readSource(objectAt(part, 'source') ?? {}, `${place}.source`), ...named }
    case 'file':
      return { ...readFile(objectAt(part, 'file') ?? {}, `${place}.file`), ...named }
    case 'input_file':
      return { ...readFile(part, place), ...named }
    default:
      return undefined
  }
}

export function readTextDocument(part: JsonRecord): string | undefined {
  const source = objectAt(part, 'source')
  if (textAt(part, 'type') !== 'document' || textAt(source, 'type') !== 'text') return undefined
  return textAt(source, 'data')
}

/** The address of an image or a document that the request only names; undefined for others. */
export function linkOf(part: JsonRecord): string | undefined {
  const source = objectAt(part, 'source')
  const isSource = textAt(part, 'type') === 'image' || textAt(part, 'type') === 'document'
  const isUrl = textAt(part, 'type') === 'image_url' || textAt(part, 'type') === 'input_image'
  const url = isSource ? textAt(source, 'url') : isUrl ? urlOf(part) : textAt(part, 'file_url')
  return url !== undefined && /^https?:/i.test(url) ? url : undefined
}

function urlOf(part: JsonRecord): string | undefined {
  const { image_url: url } = part
  return isObject(url) ? textAt(url, 'url') : textAt(part, 'image_url')
}

const MAX_NAME = 255

function nameOf(part: JsonRecord): string | undefined {
  const name = textAt(part, 'filename') ?? textAt(part, 'title') ?? textAt(objectAt(part, 'file'), 'filename')
  return name?.slice(0, MAX_NAME).toWellFormed()
}

function readSource(source: JsonRecord, place: string): Attachment {
  const data = textAt(source, 'data')
  if (textAt(source, 'type') === 'base64' && data !== undefined) {
    const type = textAt(source, 'media_type')
    return { data, ...(type !== undefined && { media_type: type }) }
  }
  if (textAt(source, 'type') === 'url') return readUrl(textAt(source, 'url'), `${place}.url`)
  const feature = `a source of type ${textAt(source, 'type') ?? 'unknown'}`
  throw unsupportedFeature({ place, feature, advice: 'send the content in base64' })
}

function readFile(file: JsonRecord, place: string): Attachment {
  const data = textAt(file, 'file_data')
  if (data !== undefined) return data.startsWith('data:') ? readUrl(data, `${place}.file_data`) : { data }
  return readUrl(textAt(file, 'file_url'), `${place}.file_data`)
}

function readUrl(url: string | undefined, place: string): Attachment {
  if (url === undefined || url === '')
    throw requestInvalid(place, 'must be a data URL; ids of files are not known here')
  const found = DATA_URL.exec(url)?.groups
  if (found?.['data']) return { data: found['data'], ...(found['type'] && { media_type: found['type'] }) }
  if (!/^https?:/i.test(url))
    throw requestInvalid(place, 'must be a data URL in base64, such as data:image/png;base64,…')
  const advice = 'send it as a data URL, or ask the operator for server.fetch_images'
  throw unsupportedFeature({ place, feature: 'an image by its address', advice })
}
