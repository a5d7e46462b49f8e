import { budgetLimits } from '../../configuration/budgets.ts'

export const messageBytesMax = budgetLimits.commandMessageBytes.max

/** Says that it would be larger than `messageBytesMax` once it is decompressed. */
export class OversizedMessage extends Error {
  constructor() {
    super(`The message must not be larger than ${messageBytesMax / 1024 ** 2} MiB.`)
    this.name = 'OversizedMessage'
  }
}
