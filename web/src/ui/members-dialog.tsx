import { useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/api-problem.ts'
import { useEvery } from '../data/use-every.ts'
import { useMembers } from '../data/use-members.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { Dialog } from './dialog.tsx'
import { InvitationsSection } from './invitations-section.tsx'
import { LoadProblem } from './notes.tsx'
import { PersonLine } from './person-line.tsx'
import { PersonPicker } from './person-picker.tsx'
import { Skeleton } from './skeleton.tsx'
import { useRemoval } from './use-removal.ts'

export interface MembersDialogProps {
  readonly project: Pick<RecordOf<'project'>, 'id' | 'name'>
  onClose(): void
}

/** Who was invited comes while the dialog stands open. */
const lookMilliseconds = 5000

/** Who works on the project: members see it, and may change it. */
export function MembersDialog({ project, onClose }: MembersDialogProps) {
  const { api, people, session } = useServices()
  const remove = useRemoval()
  const members = useMembers(project.id)
  useEvery(lookMilliseconds, members.reload)
  const [problem, setProblem] = useState<string>()
  const [isLeaving, setLeaving] = useState(false)
  const self = session.person.value
  const add = async (userId: string) => {
    const name = people.nameOf(userId)
    if (members.ids.includes(userId)) return setProblem(t('{name} is a member already.', { name }))
    await api.create('userProject', { projectId: project.id, userId }).then(
      () => setProblem(undefined),
      (error) => setProblem(sentenceOf(error)),
    )
  }
  /** Removes all memberships of a person: with one of two left, the person would stay a member. */
  const removeAll = (userId: string) => {
    const ids = (members.memberships.get(userId) ?? []).map(({ id }) => id)
    return remove('userProject', ids, people.nameOf(userId))
  }
  const ask = (userId: string) => {
    // Administrators see every project all the same.
    if (userId === self?.id && !self.isAdministrator) setLeaving(true)
    else void removeAll(userId)
  }
  return (
    <Dialog title={t('Members of {name}', { name: project.name })} onClose={onClose}>
      {members.problem && <LoadProblem problem={members.problem} onRetry={members.reload} />}
      {members.isLoading && <Skeleton as="rows" rows={3} cells="face text icon" />}
      <ul class="rows">
        {members.ids.map((userId) => (
          <PersonLine
            key={userId}
            id={userId}
            name={people.nameOf(userId)}
            removeLabel={t('Remove {name} from the project', { name: people.nameOf(userId) })}
            onRemove={() => ask(userId)}
          />
        ))}
      </ul>
      <PersonPicker
        label={t('Add a member')}
        placeholder={t('Add a member…')}
        onChoose={(id) => void add(id)}
      />
      <InvitationsSection projectId={project.id} onProblem={setProblem} />
      <WhoIsFound isAdministrator={self?.isAdministrator ?? false} />
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
      {isLeaving && (
        <ConfirmDialog
          title={t('Leave {name}?', { name: project.name })}
          text={t(
            'You will not see this project any more, and cannot add yourself again. Another member can.',
          )}
          confirmLabel={t('Leave the project')}
          onConfirm={() => void removeAll(self?.id ?? '').then(onClose)}
          onClose={() => setLeaving(false)}
        />
      )}
    </Dialog>
  )
}

const WhoIsFound = ({ isAdministrator }: { readonly isAdministrator: boolean }) => (
  <p class="quiet-text">
    {isAdministrator
      ? t(
          'You find everybody who has an account. Whoever has none comes by a link, or gets one under Admin, Users.',
        )
      : t(
          'You find people you already share a project with. Anybody else has an account already and is added by an administrator, or is new and comes by a link.',
        )}
  </p>
)
