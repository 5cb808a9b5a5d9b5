import { type ConfigProblem, configInvalid } from '../../config/faults.ts'
import { findLoweredModes } from '../../config/find-lowered-modes.ts'
import { formatOrigin } from '../../config/origin.ts'
import { readConfig } from '../../config/read-config.ts'
import { Fault } from '../../kit/fault.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { printResult } from '../output/print-result.ts'
import { wrapOn } from '../output/terminal-wrap.ts'
import { toConfigEnvironment } from '../settings.ts'

type Validation = { file: string; exists: boolean; problems: readonly ConfigProblem[]; warnings: readonly string[] }

/** Prints the result to stdout even if the config is invalid; scripts use the exit code. */
export const run: RunCommand = async (invocation) => {
  const validation = await validate(invocation)
  const isValid = validation.problems.length === 0
  await printResult(invocation, { valid: isValid, ...validation }, (out) => wrapOn(out, formatValidation(validation)))
  return isValid ? 0 : 1
}

async function validate(invocation: Invocation): Promise<Validation> {
  try {
    const { config, file, warnings } = await readConfig(toConfigEnvironment(invocation))
    // Not among the warnings of every command, because the command line has no ceilings.
    return { file: file.path, exists: file.exists, problems: [], warnings: [...warnings, ...findLoweredModes(config)] }
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== configInvalid.code) throw error
    const { file, problems } = error.details as { file: string; problems: readonly ConfigProblem[] }
    return { file, exists: true, problems, warnings: [] }
  }
}

function formatValidation({ file, exists, problems, warnings }: Validation): string {
  const subject = exists ? file : `${file} does not exist, so every setting has its default value; this`
  const lines =
    problems.length === 0
      ? [`${subject} is valid`]
      : problems.map(({ key, rule, origin }) => [`${formatOrigin(origin)}:`, key, rule].filter(Boolean).join(' '))
  return [...lines, ...warnings.map((warning) => `warning: ${warning}`), ''].join('\n')
}
