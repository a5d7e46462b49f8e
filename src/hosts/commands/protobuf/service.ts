/** The package names the version: a contract that breaks gets another one beside it. */
export const packageName = 'tracker.commands.v1'

export const serviceName = `${packageName}.Commands`
