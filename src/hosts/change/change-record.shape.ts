/** The record of a change while it is under way, by which the next process finishes or undoes what a killed one left. */
import { Type } from 'typebox'
import { Digest } from '../../contract/identifiers.shape.ts'
import { literals, type Message, strict, tagged, textLike } from '../../kit/shape.ts'

const path = textLike('^(?!(?:[\\s\\S]*/)?\\.{0,2}(?:/|$))[^\\u0000\\\\]+$', 'a path inside the repository')

/** `expects` is what was at the path before, `gives` what is to be there after. */
const RecordedStep = tagged('do', [
  strict({ do: Type.Literal('create'), path, gives: Digest }),
  strict({ do: Type.Literal('replace'), path, expects: Digest, gives: Digest }),
  strict({ do: Type.Literal('remove'), path, expects: Digest }),
  strict({ do: Type.Literal('verify'), path, expects: Digest }),
  strict({ do: Type.Literal('remove_directory'), path }),
])

export const ChangeRecord = strict({
  version: Type.Literal(1),
  id: textLike('^[0-9a-f]{32}$', '32 lowercase hexadecimal digits'),
  /** Until it says `committed`, the change is undone by whoever finds the record. */
  phase: literals(['applying', 'committed']),
  hosts: Type.Array(Type.String({ minLength: 1 })),
  /** Folders that are missing and will be made, the outer ones first. */
  folders: Type.Array(path),
  steps: Type.Array(RecordedStep),
})
export type ChangeRecord = Message<typeof ChangeRecord>
