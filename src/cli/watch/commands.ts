import { commandsIn, flag } from '../command.ts'
import { DEMO, JSON_FLAG, ROOT } from '../words/shared-flags.ts'

export const WATCH_COMMANDS = commandsIn({ group: 'Changes' }, [
  {
    words: ['watch'],
    summary: 'Start runs for labeled issues, or at fixed times',
    description: `Looks at the issues of a repository every minute (drive.watch_secs). Each open issue with the label becomes a queued run, oldest
first; your server drives it, as with "drover drive". A comment on the issue says that drover works on it, and later how that ended.
The first such comment wins: of several machines that watch a repository, exactly one takes an issue. Labels count only if they were
set by a person with write access, and only if no one without such access has edited the issue since. To run an issue again, remove
the label and set it again.

A comment that begins with @drover (drive.mention), by a person with write access, has the same effect as the label. If the run waits
for an answer, the text of the comment is the answer; if it is paused, it continues.

With --schedule, a run is started at fixed times, with the goal in a file. A time that was missed, because the machine was off, is made
up for once.

The command runs until Ctrl-C; the runs keep running in your server. List the same in drive.watch to let "drover serve" do it.
Options of the runs, such as checks and how they are delivered, come from the settings (drive.*).`,
    flags: [
      flag('--repo OWNER/NAME', 'Repository of the issues (default: that of the remote origin)', {
        pattern: { like: /^[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+$/, says: 'a repository such as ada/weather' },
      }),
      flag('--label LABEL', 'Label of the issues (default: drover)', {
        // GitHub reads a comma as the end of a label.
        pattern: { like: /^[^,]+$/, says: 'one label, without a comma' },
      }),
      flag('--schedule CRON', 'Start a run at these times instead, such as "0 3 * * 1"'),
      flag('--timezone ZONE', 'Time zone of the schedule (default: that of the machine)'),
      flag('--goal-file FILE', 'File with the goal of the scheduled run'),
      flag('--once', 'Look once, queue what there is, and exit'),
      flag(
        '--wait',
        'With --once: wait until the runs have ended or need a person, and give issues back that need one',
      ),
      flag('--list', 'List what is watched on this machine, and by which process'),
      DEMO,
      ROOT,
      { ...JSON_FLAG, description: 'Print one JSON object per line: every look, every queued run' },
    ],
    examples: {
      'drover watch --label drover': 'the issues of this repository',
      'drover watch --repo ada/weather --once --wait': 'once, in a CI job',
      'drover watch --schedule "0 3 * * 1" --goal-file chores/dependencies.md': 'every Monday at 3:00',
      'drover watch --list': 'what is watched',
    },
    load: () => import('./watch-command.ts'),
  },
])
