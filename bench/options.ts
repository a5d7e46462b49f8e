/** Returns the number after an option, such as `--rounds 5`, or the default value without the option. */
export function numberOption(args: readonly string[], name: string, defaultValue: number): number {
  const index = args.indexOf(name)
  if (index === -1) return defaultValue
  const number = Number(args[index + 1])
  if (Number.isNaN(number)) throw new Error(`${name} needs a number.`)
  return number
}
