/**
 * Translates the server's error messages. Braces name variable parts, and the first matching key wins.
 * Translations with `{field}` begin with it, so that they need no gender; forms show their own label there.
 */
export const ptBrErrors: Readonly<Record<string, string>> = {
  // Fields
  'The current password is incorrect.': 'A senha atual está incorreta.',
  'End date must be on or after start date.': 'O fim não pode ser antes do início.',
  'ProjectId is required: you may invite into your own projects only.':
    'Escolha um projeto seu: o convite é para ele.',
  'RedirectUris must have at least one address.': 'RedirectUris: informe pelo menos um endereço.',
  'RequiresPkce must be true for a client without a secret.': 'Um aplicativo sem segredo precisa de PKCE.',
  'HasSecret must be true or false.': 'HasSecret: deve ser sim ou não.',
  'Scopes must be a list with at least one scope.': 'Escolha pelo menos uma permissão.',
  'Scopes must be some of {list}.': 'Só estas permissões são possíveis: {list}.',
  'Scopes can have {list}.': 'Só estas permissões são possíveis: {list}.',
  'ProjectIds must be null or 1 to {count} ids of projects.':
    'Escolha de 1 a {count} projetos, ou nenhum limite.',
  'ProjectIds must refer to active projects of yours.': 'Escolha projetos seus que não foram removidos.',
  'ExpiresAt must be in the future, within {count} days.':
    'A data precisa estar no futuro, no máximo daqui a {count} dias.',
  'A timer is already running. Stop it first.': 'Já há um cronômetro em andamento. Pare-o primeiro.',
  'The timer ran for {count} hours. AmountHours must say how many to book.':
    'O cronômetro andou {count} horas. Informe quantas registrar.',
  'Login must not contain invisible characters.': 'Login: não pode ter caracteres invisíveis.',
  'Login is already used by an active account.': 'Este login já é usado por outra conta.',
  'Id is already taken.': 'Este registro já existe.',
  'Name is already used by an active label of the project.': 'Outra etiqueta do projeto já tem este nome.',
  'The assignment already has this label.': 'A tarefa já tem esta etiqueta.',
  'The project already uses this stage.': 'O projeto já usa esta etapa.',
  'A project may use at most {count} stages.': 'Um projeto pode usar no máximo {count} etapas.',
  'A project may have at most {count} labels.': 'Um projeto pode ter no máximo {count} etiquetas.',
  'An assignment may have at most {count} labels.': 'Uma tarefa pode ter no máximo {count} etiquetas.',
  'The assignment already waits for this one.': 'A tarefa já espera por esta.',
  'An assignment may wait for at most {count} others.':
    'Uma tarefa pode esperar por no máximo {count} outras.',
  'An account may choose for at most {count} assignments.':
    'Você já escolheu o que acompanhar em {count} tarefas, que é o máximo.',
  'An assignment may have at most {count} sub-assignments.':
    'Uma tarefa pode ter no máximo {count} subtarefas.',
  'Assignments may be nested at most {count} levels deep, and never within themselves.':
    'As subtarefas vão até {count} níveis, e uma tarefa nunca fica dentro de si mesma.',
  '{field} must be another assignment.': '{field}: escolha outra tarefa.',
  'BlockedById must be another assignment.': 'Uma tarefa não pode esperar por si mesma.',
  'BlockedById already waits for the assignment, directly or through others.':
    'A outra tarefa já espera por esta, diretamente ou por meio de outras.',
  'A chain of dependencies may have at most {count} links.':
    'Uma cadeia de dependências pode ter no máximo {count} elos.',
  'At most {count} dependencies may be connected.':
    'No máximo {count} dependências podem estar ligadas entre si.',
  'Url must be an https address.': 'O endereço precisa começar com https.',
  'Url must not contain a user name or a password.': 'O endereço não pode ter nome nem senha.',
  'Url must begin with https.': 'O endereço precisa começar com https.',
  'Url must not be a private address.': 'O endereço não pode ser de uma rede privada.',
  'Code is wrong. Wait for the next code in the app.':
    'O código não confere. Espere o próximo que o aplicativo mostrar.',
  '{field} is required.': '{field}: preenchimento obrigatório.',
  '{field} must be a name of the IANA time zone database, such as America/Sao_Paulo.':
    '{field}: este fuso horário não é conhecido aqui. Escolha outro.',
  '{field} must be text.': '{field}: precisa ser um texto.',
  '{field} contains a character that cannot be stored.':
    '{field}: há um caractere que não pode ser guardado.',
  '{field} must not be empty.': '{field}: não pode ficar vazio.',
  '{field} must be at most {count} characters.': '{field}: no máximo {count} caracteres.',
  '{field} must be at least {count} characters.': '{field}: no mínimo {count} caracteres.',
  '{field} must be a UUID.': '{field}: escolha um item da lista.',
  '{field} must be an ISO-8601 date and time.': '{field}: digite um dia, como sex, 12 dez ou em 2 semanas.',
  '{field} must be a number.': '{field}: precisa ser um número.',
  '{field} must be 0 or more.': '{field}: precisa ser 0 ou mais.',
  '{field} must be greater than 0.': '{field}: precisa ser maior que 0.',
  '{field} must be at most {count}.': '{field}: no máximo {count}.',
  '{field} must be a multiple of {step}.': '{field}: precisa ser um múltiplo de {step}.',
  '{field} must be a whole number from {least} to {most}.':
    '{field}: precisa ser um número inteiro de {least} a {most}.',
  '{field} must be true or false.': '{field}: deve ser sim ou não.',
  '{field} must be one of {list}.': '{field}: precisa ser um destes valores: {list}.',
  '{field} must belong to the same project as {other}.': '{field}: precisa ser do mesmo projeto.',
  '{field} must be a mail address.': '{field}: precisa ser um endereço de e-mail.',
  '{field} must refer to an active {what}.': '{field}: o item escolhido foi removido ou não existe.',
  '{field} must have at most {count} addresses with http or https, or of an app such as com.example.app:/callback, without a fragment, a user name or white space.':
    '{field}: no máximo {count} endereços com http ou https, ou de um aplicativo, como com.example.app:/callback, sem fragmento, nome de usuário nem espaços.',
  '{field} must be a list with at least one, or null for all.': '{field}: escolha pelo menos um, ou todos.',
  '{field} must contain a lower-case letter.': '{field}: falta uma letra minúscula.',
  '{field} must contain an upper-case letter.': '{field}: falta uma letra maiúscula.',
  '{field} must contain a digit.': '{field}: falta um algarismo.',
  '{field} must contain a character that is no letter and no digit.':
    '{field}: falta um caractere que não seja letra nem algarismo.',
  '{field} must not contain control characters.': '{field}: não pode ter caracteres de controle.',
  '{field} is one of the most common passwords.': '{field}: é uma das senhas mais comuns.',
  '{field} must not be the login.': '{field}: não pode ser o login.',
  '{field} must differ from the current password.': '{field}: precisa ser diferente da senha atual.',
  // Any request
  'One or more validation errors occurred.': 'Alguns valores não puderam ser aceitos.',
  'A valid access token is required.': 'É preciso entrar de novo.',
  'You are not allowed to do this.': 'Você não tem permissão para isso.',
  'The same rows were changed at the same time. Please try again.':
    'Os mesmos registros foram alterados ao mesmo tempo. Tente de novo.',
  'Idempotency-Key was used for another request. Send a new one, or the same request.':
    'Este pedido já foi usado para outra coisa. Tente de novo.',
  'IdempotencyKey was used for another request.': 'Este pedido já foi usado para outra coisa. Tente de novo.',
  'Too many failed attempts. Please try again later.': 'Tentativas demais. Tente de novo mais tarde.',
  'Too many requests. Please try again later.': 'Pedidos demais. Tente de novo mais tarde.',
  'Tokens cannot be checked now, and nothing was done. Please try again later.':
    'Não é possível verificar seu acesso agora, e nada foi feito. Tente de novo mais tarde.',
  'You are not a member of the project.': 'Você não participa do projeto.',
  'You may only record and change your own {what}.': 'Você só pode registrar e alterar o que é seu: {what}.',
  'The token is limited to certain projects, so it cannot create new ones.':
    'O token se limita a projetos, por isso não cria nenhum.',
  'The token is not for {does} {what}.': 'O token não serve para isso.',
  'Only someone who has signed in may do this, not a token.': 'Só quem entrou pode fazer isso, não um token.',
  'Only someone who has signed in with the web client may do this, not an app.':
    'Só quem entrou por esta página pode fazer isso, não um aplicativo.',
  'Only administrators may have a webhook for everything. Choose a project.':
    'Só administradores podem ter um webhook de tudo. Escolha um projeto.',
  'Only administrators may {does}.': 'Só administradores podem fazer isso.',
  '{what} was changed since the expected version.': 'Outra pessoa alterou isto nesse meio-tempo: {what}.',
  '{what} is no longer as If-Match says. Read it again.':
    'Outra pessoa alterou isto nesse meio-tempo: {what}.',
  '{what} cannot be removed while it has active {parts}.':
    'Não é possível remover ({what}) enquanto houver {parts}.',
  '{what} was not found.': 'Não encontrado: {what}.',
  'An unexpected error occurred.': 'Ocorreu um erro inesperado.',
  'The store is not available, and nothing was done. Please try again later.':
    'O banco de dados não está disponível, e nada foi feito. Tente de novo mais tarde.',
  'You can no longer read the project of this webhook. It can only be removed.':
    'Você não pode mais ler o projeto deste webhook. Só é possível removê-lo.',
  'The store failed before it was known whether this was done. Check that before you try again.':
    'O banco de dados falhou antes de se saber se isto foi feito. Confira antes de tentar de novo.',
  'The export was stopped because it took too long or other exports were waiting.':
    'A exportação foi interrompida, porque outras pessoas esperavam ou porque demorou demais.',
  'The body came too slowly while others waited.':
    'O envio foi lento demais enquanto outras pessoas esperavam.',
  'Too many of these requests are in progress. Please try again later.':
    'Há pedidos demais como este em andamento. Tente de novo mais tarde.',
  'Too many live listings are open. Please try again later.':
    'Há listas ao vivo demais abertas. Tente de novo mais tarde.',
  'Live listings take too much memory. Please try again later.':
    'As listas ao vivo ocupam memória demais. Tente de novo mais tarde.',
  'The files of a project may have at most {count} MiB together, removed ones included.':
    'Os arquivos de um projeto podem ter no máximo {count} MiB juntos, incluindo os removidos.',
  'The request took too long to arrive.': 'O envio demorou demais.',
  'The file is empty.': 'O arquivo está vazio.',
  '{field} must be 2 to 8 capital letters and digits, beginning with a letter.':
    '{field}: precisa ter de 2 a 8 letras maiúsculas e algarismos, começando por uma letra.',
  'Key must be that of an assignment, such as MBA-12.': 'A chave precisa ser a de uma tarefa, como MBA-12.',
  'Key is already used by another project.': 'Outro projeto já tem esta chave.',
  '{field} must be the name of a file.': '{field}: precisa ser o nome de um arquivo.',
  'Files are not available at the moment. Please try again later.':
    'Os arquivos não estão disponíveis no momento. Tente de novo mais tarde.',
  'An account may have at most {count} live listings open. Close one first.':
    'Uma conta pode ter no máximo {count} listas ao vivo abertas. Feche uma aba primeiro.',
  'The live listings of an account may have at most {count} MiB together. Close one or ask for smaller pages.':
    'As listas ao vivo de uma conta podem ter juntas no máximo {count} MiB. Feche uma aba primeiro.',
  '{what} took longer than {count} seconds and was stopped. {advice}':
    '{what}: levou mais de {count} segundos e foi interrompido. {advice}',
  'The list of {what}': 'Lista ({what})',
  'The search in {what}': 'Busca ({what})',
  'The report of {what}': 'Relatório ({what})',
  'Reading the history': 'Histórico',
  'Narrow it with filters.': 'Use filtros para reduzir a lista.',
  'Search for a longer or rarer text, or narrow it with filters.':
    'Busque um texto mais longo ou mais raro, ou use filtros.',
  'Narrow it by dateFrom and dateTo, or by a project.': 'Escolha um período menor ou um projeto.',
  'Ask for smaller pages, or for one row.': 'Veja o histórico de um único registro.',
  'There are {count} groups, more than the limit of {limit}. Narrow the report, or group by less.':
    'Há {count} grupos, mais do que o limite de {limit}. Use filtros ou agrupe por menos.',
  'There is nothing at this address.': 'Não há nada neste endereço.',
  '{what} is not supported here.': 'Isto não é possível aqui ({what}).',
  'The address is not a valid URL.': 'O endereço não é válido.',
  'The address is too long.': 'O endereço é longo demais.',
  'The body must not be larger than {size}.': 'O que foi enviado não pode passar de {size}.',
  'The body does not have the announced length.': 'O que foi enviado chegou incompleto. Tente de novo.',
  'The body ended too early.': 'O que foi enviado chegou incompleto. Tente de novo.',
  'The content type of the body is not supported.': 'O formato do que foi enviado não é aceito.',
  'The request could not be understood.': 'O pedido não pôde ser entendido.',
  // Results of webhook messages
  'By hand.': 'Manualmente.',
  'The account that it belongs to was removed or deactivated.':
    'A conta a que pertence foi removida ou desativada.',
  'It was paused for longer than changes are kept. When resumed, it continues with new ones.':
    'Ficou pausado por mais tempo do que as alterações são guardadas: retomado, continua com as novas.',
  'The receiver answered 410: it wants no further messages.':
    'O destino respondeu 410: não quer mais mensagens.',
  'Deliveries failed for three days. The last attempt: {why}':
    'As entregas falharam por três dias. A última tentativa: {why}',
  'The receiver responded with the status {status}.': 'O destino respondeu com o status {status}.',
  'No answer within {count} seconds.': 'Sem resposta em {count} segundos.',
  'The name leads to no public address.': 'O nome não leva a nenhum endereço público.',
  'The address must begin with https.': 'O endereço precisa começar com https.',
  'The address must not be a private address.': 'O endereço não pode ser de uma rede privada.',
  // People, links, tokens, apps
  'There may be at most {count} administrators.': 'Pode haver no máximo {count} administradores.',
  'You cannot revoke your own role. Ask another administrator.':
    'Ninguém tira o próprio papel. Fale com outro administrador.',
  'You cannot deactivate your own account.': 'Ninguém desativa a própria conta.',
  'This link was already used, has expired or is invalid. Ask for a new one.':
    'Este link já foi usado, venceu ou nunca existiu. Peça um novo.',
  'This is your only way to sign in. Connect another one first, or ask an administrator.':
    'Esta é sua única maneira de entrar. Conecte outra primeiro ou fale com um administrador.',
  'The login of this account is not a mail address. Create a link instead.':
    'O login desta conta não é um endereço de e-mail. Crie um link.',
  'This server cannot send mail. Create a link and pass it on.':
    'Aqui não é possível enviar e-mails. Crie um link e passe-o adiante.',
  'Passwords are switched off here: people sign in by an outside provider.':
    'Aqui não se usam senhas: as pessoas entram por um provedor externo.',
  'At most {count} invitations may be open. End one first.':
    'Pode haver no máximo {count} convites abertos. Encerre um primeiro.',
  'This invitation is for a new account only.': 'Este convite serve só para uma conta nova.',
  'You are already a member of this project.': 'Você já participa deste projeto.',
  'An account may have at most {count} tokens. End one first.':
    'Uma conta pode ter no máximo {count} tokens. Encerre um primeiro.',
  'An account may have at most {count} webhooks.': 'Uma conta pode ter no máximo {count} webhooks.',
  'There may be at most {count} clients. End one first.':
    'Pode haver no máximo {count} aplicativos. Encerre um primeiro.',
  'This client is public: it has no secret.': 'Este aplicativo é público: não tem segredo.',
  // Second factors
  'Recovery codes require a second factor. Set one up first.':
    'Códigos de recuperação são para quem tem um segundo fator.',
  'The passkey could not be saved. An account may have at most {count} passkeys.':
    'Não foi possível guardar a chave de acesso. Pode haver no máximo {count}.',
  'You must have a second factor. Set up another one first.':
    'Você precisa ter um segundo fator. Configure outro primeiro.',
  'Passkeys need HTTPS and a host name, which this server does not have.':
    'Chaves de acesso precisam de https e de um nome, que os endereços daqui não têm.',
  'Sign in again to change how you sign in.': 'Entre de novo para mudar como você entra.',
}
