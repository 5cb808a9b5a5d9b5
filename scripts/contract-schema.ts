/** schema/machine-protocol-v2.json: every message and part of the machine protocol, each defined once. */
import type { TSchema } from 'typebox'
import { Action } from '../src/contract/action.shape.ts'
import { CliError } from '../src/contract/cli-error.shape.ts'
import { ActionMaterial, PinnedMaterial } from '../src/contract/material.shape.ts'
import { Outcome } from '../src/contract/outcome.shape.ts'
import { ProtocolState } from '../src/contract/protocol-state.shape.ts'
import { RawSourceEnvelope } from '../src/contract/raw-source-envelope.shape.ts'
import { ChangeReport, DoctorReport, ListReport } from '../src/contract/reports.shape.ts'
import { RunStatus, StatusList } from '../src/contract/run-status.shape.ts'
import { type Json, publishedSchema } from './rewrite-shape.ts'

export const MESSAGE_SHAPES = {
  action: Action,
  actionMaterial: ActionMaterial,
  pinnedMaterial: PinnedMaterial,
  rawSourceEnvelope: RawSourceEnvelope,
  outcome: Outcome,
  protocolState: ProtocolState,
  cliError: CliError,
  changeReport: ChangeReport,
  listReport: ListReport,
  doctorReport: DoctorReport,
  runStatus: RunStatus,
  statusList: StatusList,
}

export const MESSAGE_NAMES = Object.keys(MESSAGE_SHAPES)

/** The definitions by name, messages first. They still have the `x-` keywords of drover. */
export function contractDefinitions(): Record<string, Json> {
  const definitions: Record<string, Json> = {}
  const shapes: readonly Json[] = Object.values<TSchema>(MESSAGE_SHAPES) as Json[]
  for (const shape of shapes) publishedSchema(shape, definitions)
  const parts = Object.keys(definitions).filter((name) => !MESSAGE_NAMES.includes(name))
  return Object.fromEntries([...MESSAGE_NAMES, ...parts.sort()].map((name) => [name, definitions[name] as Json]))
}

export function contractSchema(): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://drover.dev/schema/machine-protocol-v2.json',
    title: 'drover machine protocol, version 2',
    description:
      'Every message that drover reads or prints about runs and hosts. docs/machine-protocol.md explains them.',
    oneOf: MESSAGE_NAMES.map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: contractDefinitions(),
  }
  return `${JSON.stringify(schema, toStandardKeywords, 2)}\n`
}

/** Moves what JSON Schema cannot express into the description. */
function toStandardKeywords(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { 'x-max-utf8-bytes': bytes, 'x-rules': rules, description, ...standard } = value as Json
  const sentences = [
    ...(typeof description === 'string' ? [sentence(description)] : []),
    ...(bytes === undefined ? [] : [`At most ${bytes} bytes in UTF-8.`]),
    ...Object.values((rules ?? {}) as Record<string, string>),
  ]
  // A field named `description` has a schema as its value.
  if (typeof description === 'object') return { ...standard, description }
  return sentences.length === 0 ? standard : { description: sentences.join(' '), ...standard }
}

function sentence(text: string): string {
  const capitalized = text.charAt(0).toUpperCase() + text.slice(1)
  return capitalized.endsWith('.') ? capitalized : `${capitalized}.`
}
