import { emitKeypressEvents, type Key as NodeKey } from 'node:readline'
import { watchForLoss } from './lost-terminal.ts'

export type Key = {
  /** As Node calls it: `up`, `return`, `escape`, `c`. */
  name: string
  isCtrl: boolean
  /** What the key types; empty for keys such as arrows. */
  text: string
}

export type KeyReader = {
  /** Undefined at the end of input, and when the reader is closed. */
  next(): Promise<Key | undefined>
  /** Forgets the keys that were not read yet, but not the end of the input. */
  clear(): void
  /** Gives the terminal back as it was. Node itself does so when the process crashes or ends by a signal. */
  close(): void
}

/** Until it is closed, the terminal shows nothing that is typed, and Ctrl-C is a key. */
export function createKeyReader(input: NodeJS.ReadStream): KeyReader {
  const keys: (Key | undefined)[] = []
  let waiting: ((key: Key | undefined) => void) | undefined
  const add = (key: Key | undefined) => {
    if (waiting === undefined) keys.push(key)
    else waiting(key)
    waiting = undefined
  }
  const onKey = (text: string | undefined, key: NodeKey) => add(toKey(text, key))
  const onEnd = () => add(undefined)
  const watch = watchForLoss(input, onEnd)
  emitKeypressEvents(input)
  input.on('keypress', onKey).on('end', onEnd).setRawMode(true).resume()
  return {
    next: () =>
      new Promise((resolve) => {
        if (keys.length > 0) resolve(keys.shift())
        else waiting = resolve
      }),
    clear() {
      const isEnded = keys.includes(undefined)
      keys.length = 0
      if (isEnded) keys.push(undefined)
    },
    close() {
      input.off('keypress', onKey).off('end', onEnd).setRawMode(false).pause()
      watch[Symbol.dispose]()
      add(undefined)
    },
  }
}

function toKey(text: string | undefined, key: NodeKey): Key {
  const isText = text !== undefined && key.ctrl !== true && key.meta !== true && !/\p{Cc}/u.test(text)
  return { name: key.name ?? '', isCtrl: key.ctrl === true, text: isText ? text : '' }
}
