/** A CommonJS program of a user. Its types are checked; it is not run. */
import drover = require('drover')

export const run: drover.PromptRun = drover.createDrover({ demo: true }).prompt('say hello')
