/** The fields of the forms that start something. */
import type { ComponentChildren, Ref } from 'preact'
import { submits } from '../live/actions.ts'

type Value = { value: string }
type Choices = readonly (readonly [value: string, label: string])[]

export function SendForm({ onSend, children }: { onSend: () => void; children: ComponentChildren }) {
  return (
    <form class="page narrow" onSubmit={submits(onSend)}>
      {children}
    </form>
  )
}

type LongTextProps = { name: string; rows: number; value: Value; onSend: () => void; field?: Ref<HTMLTextAreaElement> }

/** Ctrl + Enter sends the form. */
export function LongText({ name, rows, value, onSend, field }: LongTextProps) {
  return (
    <label>
      {name}
      <textarea
        rows={rows}
        ref={field ?? null}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSend()
        }}
      />
    </label>
  )
}

type TextFieldProps = { name: string; value: Value; placeholder: string; choices?: readonly string[]; isNumber?: true }

export function TextField({ name, value, placeholder, choices, isNumber }: TextFieldProps) {
  const list = `${name.toLowerCase()}-choices`
  return (
    <label>
      {name}
      <input
        {...(isNumber && { type: 'number', min: 1 })}
        {...(choices !== undefined && { list })}
        value={value.value}
        placeholder={placeholder}
        onInput={(event) => {
          value.value = event.currentTarget.value
        }}
      />
      {choices !== undefined && (
        <datalist id={list}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </label>
  )
}

type ChoiceProps = { name: string; value: string; choices: Choices; onChoose: (value: string) => void }

/** A list to choose from whose name is not shown. */
export function Choice({ name, value, choices, onChoose }: ChoiceProps) {
  return (
    <select aria-label={name} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      <Options choices={choices} />
    </select>
  )
}

export function Options({ choices }: { choices: Choices }) {
  return (
    <>
      {choices.map(([choice, label]) => (
        <option key={choice} value={choice}>
          {label}
        </option>
      ))}
    </>
  )
}

type SelectProps = { name: string; value: Value; choices: Choices; note?: string | undefined }

/** The first choice is chosen if nothing is. */
export function Select({ name, value, choices, note }: SelectProps) {
  return (
    <label>
      {name}
      <select
        value={value.value || choices[0]?.[0]}
        onChange={(event) => {
          value.value = event.currentTarget.value
        }}
      >
        <Options choices={choices} />
      </select>
      {note !== undefined && <span class="dim">{note}</span>}
    </label>
  )
}

type CheckListProps = {
  legend: string
  names: readonly string[]
  selected: readonly string[]
  /** No more can be chosen. */
  isFull?: boolean
  viewOf: (name: string) => ComponentChildren
  onChange: (selected: readonly string[]) => void
}

export function CheckList({ legend, names, selected, isFull = false, viewOf, onChange }: CheckListProps) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {names.map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={selected.includes(name)}
            disabled={isFull && !selected.includes(name)}
            onChange={(event) => {
              const rest = selected.filter((each) => each !== name)
              onChange(event.currentTarget.checked ? [...rest, name] : rest)
            }}
          />
          {viewOf(name)}
        </label>
      ))}
    </fieldset>
  )
}
