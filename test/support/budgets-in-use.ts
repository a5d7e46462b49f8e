import type { Budgets } from '../../src/configuration/budgets.ts'

/** What is still counted though no request is under way; clients keep their connections. */
export const budgetsInUse = (budgets: Budgets): string[] =>
  budgets
    .states()
    .flatMap(({ name, used }) => (used > 0 && !/Connections$/.test(name) ? [`${name} ${used}`] : []))
