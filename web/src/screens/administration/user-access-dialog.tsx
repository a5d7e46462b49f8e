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

/** What an account may do, and whether anybody may sign in to it. */
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
      {isSelf && <p class="form-note">{t('Your own access is for another administrator to change.')}</p>}
      {link !== undefined && (
        <>
          <p class="form-note">
            {t('Give this link to {name}. It works once, within an hour, and is shown this once.', { name })}
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

/** One after the other, and what came of each. */
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
  /** What is said when it was done. */
  readonly done: string
  work(): Promise<void>
}

/** Nobody signs in to a deactivated account, with whatever password. */
const passwordLinkOf =
  (work: () => Promise<void>, mail: (() => Promise<void>) | undefined) =>
  ({ name }: CatalogRow, { isDeactivated }: AccessState): readonly Change[] =>
    isDeactivated
      ? []
      : [
          {
            label: t('Password'),
            note: t('For somebody who has lost it: a link to choose a new one.'),
            action: t('Make a link'),
            done: t('The link for {name} is there.', { name }),
            work,
          },
          ...(mail
            ? [
                {
                  label: t('Password by mail'),
                  note: t('The link goes to the login, if that is a mail address, and nobody else sees it.'),
                  action: t('Send the link'),
                  done: t('The link is on its way to {name}.', { name }),
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
    label: hasRole ? t('Administrator') : t('No administrator by choice'),
    note: t('Administrators see and change everything. Those whom the server’s settings name always are.'),
    action: hasRole ? t('Take the role') : t('Make administrator'),
    done: hasRole
      ? t('{name} is no administrator any more.', { name })
      : t('{name} is an administrator from the next sign-in on.', { name }),
    work: () => access.setRole(id, !hasRole),
  },
  {
    label: isDeactivated ? t('Deactivated') : t('May sign in'),
    note: t('Deactivating ends every sign-in and lets nobody in. Names, projects and history stay.'),
    action: isDeactivated ? t('Reactivate') : t('Deactivate'),
    done: isDeactivated ? t('{name} may sign in again.', { name }) : t('{name} was deactivated.', { name }),
    work: () => access.setDeactivated(id, !isDeactivated),
  },
  {
    label: t('Sign-ins and tokens'),
    note: t('Ends all of them, for a lost device or a password that somebody else knows.'),
    action: t('End all'),
    done: t('Everything of {name} has ended.', { name }),
    work: () => access.endSessions(id),
  },
  ...(hasFactor
    ? [
        {
          label: t('Second factor'),
          note: t(
            'For somebody who has lost app, passkeys and recovery codes: the password alone is asked for then.',
          ),
          action: t('Take away'),
          done: t('The second factor of {name} was taken away.', { name }),
          work: () => access.takeFactorsAway(id),
        },
      ]
    : []),
]
