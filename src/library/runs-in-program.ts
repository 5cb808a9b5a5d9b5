/** The driven runs of the user in a program. It starts no queued ones, and continues only what it is told to. */
import { settingsForUser } from '../config/projects/projects.ts'
import { DrivenRuns } from '../drive/service/driven-runs.ts'
import { BackgroundRuns } from '../executions/background-runs.ts'
import { systemClock } from '../kit/clock.ts'
import { SILENT_LOG } from '../kit/log.ts'
import { demoAgent, type Instance, type OpenedInstance } from './instance.ts'
import { packageVersion } from './package.ts'

export async function openRuns(instance: Instance, opened: OpenedInstance): Promise<DrivenRuns> {
  const { config, paths, env, cwd, demo, drover } = opened
  const background = new BackgroundRuns(SILENT_LOG)
  instance.onClose(() => background.idle())
  return new DrivenRuns({
    settings: config,
    settingsFor: ({ worktree_root: root, git_common_dir: repository }) =>
      settingsForUser(config, { home: paths.projects, repository, root }),
    ...{ directories: paths, version: packageVersion(), clock: systemClock, log: SILENT_LOG, env, cwd },
    shutdown: instance.signal,
    rights: (starter) => starter,
    projectTrust: { use: config.agents.project_settings, decisions: paths.trustedSettings },
    templates: { home: paths.templates, maxBytes: config.drive.template_max_bytes },
    agentLimits: paths.agentLimits,
    isDemo: demo !== undefined,
    demoAgent: demoAgent(),
    sandbox: await drover.machineSandbox(),
    contextFor: (by) => drover.runContextFor(by),
    announcing: undefined,
    track: (drive) => void background.add(drive),
    onNoteFailure: () => {},
  })
}
