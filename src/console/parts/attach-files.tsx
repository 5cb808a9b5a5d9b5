/** Images and documents: those that are sent with a prompt, and those that came with one. */
import type { Signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { AttachmentRecord } from '../../executions/store/execution.shape.ts'
import type { Attachment } from '../../prompts/prompt-request.shape.ts'
import { attempt } from '../live/actions.ts'
import { send } from '../live/api.ts'
import { toLine } from '../text/visible-text.ts'

const ACCEPTED = 'image/png,image/jpeg,image/gif,image/webp,application/pdf'

type Files = Signal<readonly Attachment[]>

/** The server checks what they are. */
export function AttachFiles({ files }: { files: Files }) {
  return (
    <div class="attach">
      <label class="attach-button">
        Attach
        <input
          type="file"
          multiple
          accept={ACCEPTED}
          onChange={(event) => {
            const field = event.currentTarget
            void addFiles([...(field.files ?? [])], files).then(() => (field.value = ''))
          }}
        />
      </label>
      {files.value.map((file, at) => (
        <button
          key={`${at} ${file.name}`}
          type="button"
          title="Remove"
          onClick={() => (files.value = files.value.filter((each) => each !== file))}
        >
          {toLine(file.name ?? 'image')} ✕
        </button>
      ))}
    </div>
  )
}

/** For `onPaste` of a form: pasted files are attached, and pasted text goes where the cursor is. */
export function pasteInto(files: Files): (event: ClipboardEvent) => void {
  return (event) => {
    const pasted = [...(event.clipboardData?.files ?? [])]
    if (pasted.length === 0) return
    event.preventDefault()
    void addFiles(pasted, files)
  }
}

/** For the body of a request. */
export function sentFiles({ value }: Files): { attachments?: Attachment[] } {
  return value.length === 0 ? {} : { attachments: [...value] }
}

async function addFiles(added: readonly File[], files: Files): Promise<void> {
  const read = await attempt(() => Promise.all(added.map(readFile)))
  files.value = [...files.value, ...(read ?? [])]
}

function readFile(file: File): Promise<Attachment> {
  const reader = new FileReader()
  const { promise, resolve, reject } = Promise.withResolvers<Attachment>()
  reader.onload = () => resolve({ data: String(reader.result).split(',')[1] ?? '', name: file.name })
  reader.onerror = () => reject(new Error(`${file.name} cannot be read`))
  reader.readAsDataURL(file)
  return promise
}

/** Those that came with the prompt of an execution. */
export function AttachedFiles({ id, files = [] }: { id: string; files?: readonly AttachmentRecord[] | undefined }) {
  if (files.length === 0) return null
  return (
    <div class="attached">
      {files.map((file, at) => (
        <AttachedFile key={`${at} ${file.digest}`} id={id} file={file} />
      ))}
    </div>
  )
}

function AttachedFile({ id, file }: { id: string; file: AttachmentRecord }) {
  const url = useContent(`executions/${id}/attachments/${encodeURIComponent(file.digest)}`)
  const name = toLine(file.name ?? file.media_type)
  if (url === undefined) return <span class="dim">{name}</span>
  if (file.media_type.startsWith('image/')) return <img src={url} alt={name} />
  return (
    <a href={url} download={name}>
      {name}
    </a>
  )
}

/** An image has no place for the secret of the login, so it is fetched. Undefined until it is there, or if it is gone. */
function useContent(path: string): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const gone = new AbortController()
    let made: string | undefined
    const load = async () => {
      const content = await (await send(path, { signal: gone.signal })).blob()
      made = URL.createObjectURL(content)
      setUrl(made)
    }
    load().catch(() => undefined)
    return () => {
      gone.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [path])
  return url
}
