/**
 * The validators of the machine protocol, in three modules: reports, sources and runs. A module imports the validators of
 * parts that another module has. More modules would load more slowly: opening a file takes as long as reading 100 KB.
 */
import type { TSchema } from 'typebox'
import { Action } from '../src/contract/action.shape.ts'
import { CliError } from '../src/contract/cli-error.shape.ts'
import { GitObservation } from '../src/contract/git-observation.shape.ts'
import { ActionMaterial, PinnedMaterial } from '../src/contract/material.shape.ts'
import { Next } from '../src/contract/next.shape.ts'
import { Outcome } from '../src/contract/outcome.shape.ts'
import { OutcomeForm } from '../src/contract/outcome-form.shape.ts'
import { PinnedSource } from '../src/contract/pinned-source.shape.ts'
import { ProtocolState } from '../src/contract/protocol-state.shape.ts'
import { RawSourceComment, RawSourceEnvelope } from '../src/contract/raw-source-envelope.shape.ts'
import { ChangeReport, DoctorReport, ListReport } from '../src/contract/reports.shape.ts'
import { RunStatus, StatusList } from '../src/contract/run-status.shape.ts'
import { SourceCandidate } from '../src/contract/source-candidate.shape.ts'
import { compileShapes, declareShapes } from './compile-shapes.ts'
import { fieldsOf, formOf } from './form-of-shape.ts'
import type { GeneratedFile } from './generated-file.ts'

const MODULES: Readonly<Record<string, readonly TSchema[]>> = {
  reports: [ChangeReport, ListReport, DoctorReport, CliError, Next],
  source: [
    formOf(RawSourceEnvelope),
    fieldsOf(RawSourceEnvelope),
    fieldsOf(RawSourceComment),
    PinnedSource,
    SourceCandidate,
  ],
  runs: [
    Action,
    ActionMaterial,
    PinnedMaterial,
    OutcomeForm,
    Outcome,
    GitObservation,
    ProtocolState,
    RunStatus,
    StatusList,
  ],
}

export async function contractChecks(): Promise<GeneratedFile[]> {
  const files = Object.entries(MODULES).map(async ([module, parts]) => {
    const shapes = Object.fromEntries(parts.map((part) => [validatorName(part), part]))
    return [
      {
        path: `src/contract/${module}.generated.js`,
        content: await compileShapes(shapes, { allProblems: false, imports: importsOf(module) }),
      },
      { path: `src/contract/${module}.generated.d.ts`, content: declareShapes(shapes, '../kit/schema.ts') },
    ]
  })
  return (await Promise.all(files)).flat()
}

/** The parts that validators of other folders need not have themselves. */
export function contractImports(): Imports {
  return importsFrom('../contract', Object.keys(MODULES))
}

type Imports = Record<string, { validator: string; from: string }>

/** What the other modules have. */
function importsOf(module: string): Imports {
  const others = Object.keys(MODULES).filter((name) => name !== module)
  return importsFrom('.', others)
}

function importsFrom(folder: string, modules: readonly string[]): Imports {
  const rows = modules.flatMap((name) =>
    (MODULES[name] ?? []).map((part) => [
      nameOf(part),
      { validator: validatorName(part), from: `${folder}/${name}.generated.js` },
    ]),
  )
  return Object.fromEntries(rows)
}

function nameOf(part: TSchema): string {
  return String((part as { $id?: string }).$id)
}

function validatorName(part: TSchema): string {
  const name = nameOf(part)
  return `validate${name.charAt(0).toUpperCase()}${name.slice(1)}`
}
