import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import { guessDoneStages } from '../data/project-stages.ts'
import type { Services } from '../services/services.ts'
import { t } from '../texts/text.ts'

type Stage = RecordOf<'workflow'> & { readonly isUsed?: boolean }

/** Marks the stage as done for all users, or removes the mark. `isDone` says how the stage looks now. */
export async function toggleDoneStage(
  { api, toasts }: Pick<Services, 'api' | 'toasts'>,
  stage: Stage,
  stages: readonly Stage[],
  isDone: boolean,
): Promise<void> {
  const { id, name, order } = stage
  try {
    await api.update('workflow', { id, name, order, isDone: !stage.isDone })
    const text = isDone ? unchangedLookText(stage, stages) : undefined
    if (text !== undefined) toasts.show({ kind: 'done', text })
  } catch (error) {
    toasts.show({ kind: 'problem', text: sentenceOf(error) })
  }
}

/**
 * Returns a message if marking the stage as done, or removing the mark, does not change how the stage looks.
 * This happens if the stage also counts as done without a mark, by a guess.
 */
function unchangedLookText(stage: Stage, stages: readonly Stage[]): string | undefined {
  if (!stage.isDone) return t('{stage} now means done for all users.', { stage: stage.name })
  const unmarked = { ...stage, isDone: false }
  const guessed = guessDoneStages(stages.map((other) => (other === stage ? unmarked : other)))
  return guessed.includes(unmarked)
    ? t('{stage} still counts as done, because no other stage is marked.', { stage: stage.name })
    : undefined
}
