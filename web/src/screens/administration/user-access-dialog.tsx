import { useState } from 'preact/hooks'
import { type AccessState, createUserAccess, type UserAccess } from '../../api/access.ts'
import { sentenceOf } from '../../api/api-problem.ts'
import { createFactors, StaleSignIn } from '../../api/factors.ts'
import { mailPasswordLink, makePasswordLink } from '../../api/links.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { startSignIn } from '../../session/sign-in.ts'
import { t } from '../../texts/text.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadProblem } from '../../ui/notes.tsx'
import { Secret } from '../../ui/secret.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import type { CatalogRow } from './catalogs.ts'

/** The rights of an account, and whether its user may sign in. */
export function UserAccessDialog({ row, onClose }: { readonly row: CatalogRow; onClose(): void }) {
  const { configuration, send, session } = useServices()
  const access = createUserAccess(send, createFactors(configuration, session))
  const { id, name } = row
  const { value: state, problem, reload } = useLoaded(`access ${id}`, [], () => access.state(id))
  const { isBusy, run } = useRun(reload)
  const [link, setLink] = useState<string>()
  const linksFor = passwordLinkOf(
    async () => setLink(await makePasswordLink(send, id)),
    configuration.mail ? () => mailPasswordLink(send, id) : undefined,
  )
  const isSelf = id === session.person.value?.id
  return (
    <Dialog title={t('Access of {name}', { name })} onClose={onClose}>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {state === undefined && !problem && <Skeleton as="rows" rows={3} cells="lines button" />}
      {isSelf && <p class="form-note">{t('Only another administrator can change your access.')}</p>}
      {link !== undefined && (
        <>
          <p class="form-note">
            {t('Give this link to {name}. It works once, within an hour, and is only shown once.', { name })}
          </p>
          <Secret label={t('Link')} text={link} onDone={() => setLink(undefined)} />
        </>
      )}
      {state && !isSelf && link === undefined && (
        <ul class="rows">
          {[...changesOf(row, state, access), ...linksFor(row, state)].map(
            ({ label, note, action, done, work }) => (
              <li key={label} class="row">
                <span class="row-text">
                  {label}
                  <span class="quiet-text line">{note}</span>
                </span>
                <button
                  type="button"
                  class="button"
                  aria-disabled={isBusy}
                  onClick={() => void run(work, done)}
                >
                  {action}
                </button>
              </li>
            ),
          )}
        </ul>
      )}
    </Dialog>
  )
}

/** Runs one action after the other, and reports the result of each. */
function useRun(onDone: () => void) {
  const { configuration, router, toasts } = useServices()
  const [isBusy, setBusy] = useState(false)
  const run = async (work: () => Promise<void>, done: string) => {
    if (isBusy) return
    setBusy(true)
    try {
      await work()
      toasts.show({ kind: 'done', text: done })
      onDone()
    } catch (error) {
      if (error instanceof StaleSignIn) {
        const { pathname, search } = router.address.peek()
        return void startSignIn(configuration, pathname + search, { asks: true })
      }
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, run }
}

interface Change {
  readonly label: string
  readonly note: string
  readonly action: string
  /** The message after success. */
  readonly done: string
  work(): Promise<void>
}

/** A deactivated account cannot sign in with any password. */
const passwordLinkOf =
  (work: () => Promise<void>, mail: (() => Promise<void>) | undefined) =>
  ({ name }: CatalogRow, { isDeactivated }: AccessState): readonly Change[] =>
    isDeactivated
      ? []
      : [
          {
            label: t('Password'),
            note: t('For a user who has lost it: a link to choose a new one.'),
            action: t('Create link'),
            done: t('The link for {name} was created.', { name }),
            work,
          },
          ...(mail
            ? [
                {
                  label: t('Password by mail'),
                  note: t('The link is sent only to the login, if that is an e-mail address.'),
                  action: t('Send link'),
                  done: t('The link is being sent to {name}.', { name }),
                  work: mail,
                },
              ]
            : []),
        ]

const changesOf = (
  { id, name }: CatalogRow,
  { hasRole, isDeactivated, hasFactor }: AccessState,
  access: UserAccess,
): readonly Change[] => [
  {
    label: hasRole ? t('Administrator') : t('No administrator role'),
    note: t(
      'Administrators see and change everything. Those named in the server’s settings always have the role.',
    ),
    action: hasRole ? t('Revoke role') : t('Make administrator'),
    done: hasRole
      ? t('{name} is no longer an administrator.', { name })
      : t('{name} becomes an administrator at the next sign-in.', { name }),
    work: () => access.setRole(id, !hasRole),
  },
  {
    label: isDeactivated ? t('Deactivated') : t('May sign in'),
    note: t('Deactivating ends all sessions and prevents new ones. Names, projects and history stay.'),
    action: isDeactivated ? t('Reactivate') : t('Deactivate'),
    done: isDeactivated ? t('{name} may sign in again.', { name }) : t('{name} was deactivated.', { name }),
    work: () => access.setDeactivated(id, !isDeactivated),
  },
  {
    label: t('Sessions and tokens'),
    note: t('Ends all of them, for a lost device or a password that someone else knows.'),
    action: t('End all'),
    done: t('All sessions and tokens of {name} were ended.', { name }),
    work: () => access.endSessions(id),
  },
  ...(hasFactor
    ? [
        {
          label: t('Second factor'),
          note: t(
            'For a user who has lost app, passkeys and recovery codes: the password alone is then enough.',
          ),
          action: t('Reset'),
          done: t('The second factor of {name} was reset.', { name }),
          work: () => access.takeFactorsAway(id),
        },
      ]
    : []),
]
