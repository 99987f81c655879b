import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/*
 * Names that were given up for the field's own words (docs/glossary.md), and words that prose does without. They stand here so that they do not
 * come back.
 */

const root = join(__dirname, '../..');
const folders = ['src', 'sdk/src', 'cli/src', 'testing', 'test'];

/** A whole identifier, and what to write instead. */
const identifiers: readonly (readonly [RegExp, string])[] = [
  [/^#?demand[A-Z]\w*$/, 'requireX: it throws unless the condition holds'],
  [/^(CustomerWork|CustomerTransaction|CustomerReader)$/, 'Transaction, Reader'],
  [/^(openExchange|beginExchange|exchangeOf|ThisExchange)$/, 'RequestContext, requestContextOf, CurrentRequestContext'],
  [/^(Visit|Visiting|visitOf|callerOfVisit)$/, 'PageContext, CurrentPageContext, pageContextOf, callerOfPage'],
  [/^(Needs|NeedsAnyKey|NeedsNoKey|For|ForAnyone)$/, 'RequireScope, RequireAnyKey, NoKeyRequired, RequireRole, Public'],
  [/^(Calling|Conditions)$/, 'CurrentCaller, IfMatch'],
  [/^(TakesBody|TakesPatch|TakesParameters|TakesIdList)$/, 'BodySchema, PatchSchema, QuerySchema, AcceptsIdList'],
  [/^(Tagged|TaggedPhoto)$/, 'WithETag for entity tags, PhotoWithTags for a photo and its tags'],
  [/^(Once|RunOnce|AnswerOnce)$/, 'Idempotent, RunIdempotently, IdempotentResponses'],
  [/^(KeptAnswer|AnswerKeeper|KeptAs|Keeping)$/, 'StoredResponse, ResponseStore, StoreBodyAs, StoredBodyFormat'],
  [/^(Gathering|GatheredReads|perStore)$/, 'Batcher, readBatcher, BatchedImportSteps'],
  [/^(withManyHands|inLanes|Lanes|LANES)$/, 'forEachConcurrently, TaskQueue, CONCURRENCY'],
  [/^Bell$/, 'WakeUpSignal'],
  [
    /^(announceLook|lookAndSettle|settleAll|askToPublish)$/,
    'inspecting, inspectAndApply, applyResults, requestPublishing',
  ],
  [/^(enrol|enrolAll|Enrolled|registerAgain)$/, 'registerCandidates, registerAll, RegistrationOutcome, reuseItem'],
  [/^(markArrived|noticeArrivals|noticeUploads)$/, 'receiveStagedBytes, receiveStoredUploads, pollDirectUploads'],
  [/^(inspectArrived|saveArriving|takeUp)$/, 'requestInspection, saveAndRequestInspection, receive…'],
  [/^(Room|DiskRoom|requireRoom)$/, 'QuotaReservation, DiskSpace, requireDiskSpace'],
  [/^(waysOf|PROMISING|Stretch|stretchesAfter)$/, 'planQueries, MIN_YIELD, KeysetRange, keysetRangesAfter'],
  [/^(Branches|branchesOf[A-Z]\w*)$/, 'MergeSource, mergeSourceOfX'],
  [
    /^(ShownImport|ShownItem|ShownPhoto|readShownPhoto)$/,
    'ImportDetails, ItemDetails, PhotoWithUrls, readVisiblePhoto',
  ],
  [/^(SaidOf[A-Z]\w*|InlineWords|PhotoWords|PageWords|wordsAfter)$/, 'XInput, PhotoFields, PageOptions, inputAfter'],
  [/^(departedTags|inheritDeparted|hasDeparted|forgetDeparted|renewPhotos)$/, 'tombstones; bumpPhotoVersions'],
  [/^(StrayRows?|StrayReads|findStrays|checkStrays|breach)$/, 'OrphanRow, findOrphanRows; report a Finding'],
  [/^(newAttempt|stagedAttempt)$/, 'newUploadId, stagedUploadId'],
  [/^(causedBy|currentCause)$/, 'withTraceContext, currentTraceContext'],
  [/^(KeptBlobs|keptOf|keptKey)$/, 'BlobCache, storedKey'],
  [
    /^(KeptBlob|keepBlobs|BlobKeeping|putBackBlobs|PuttingBack|forgetMissed)$/,
    'BackedUpBlob, backUpBlobs, restoreBlobs, removeMissed',
  ],
  [/^(holdTags|holdForNewTags|holdTagged|HeldRows|HeldDelivery)$/, 'lockX, LockedRows'],
  [/^(GoElsewhere|goTo)$/, 'Redirect, redirectTo'],
  [/^(Workshop|S3Patience|personActing)$/, 'ClusterSetup, S3Timeouts, userActor'],
  [/^(MAX_BEGINNINGS|cutOffSeconds|waitsAfterCutOff)$/, 'MAX_ATTEMPTS, interruptionSeconds'],
  [/^(tellUpdated|tellReadiness|sayInstallation)$/, 'announcePhotos, logReadiness, printInstallation'],
  [/^(askTo(Discard|Delete)|askDelete|askRotate)$/, 'confirmX: the page on which a person confirms'],
  [
    /^(beginSignIn|BegunSignIn|completeSignIn|enterBy[A-Z]\w*|takeProviderAnswer)$/,
    'signIn, SignInResult, signInByX, finishX',
  ],
  [/^(proveFactor|provePasskey|requireProven)$/, 'checkFactor, checkPasskey, wrongAnswer: a Proof is what signs in'],
  [/^(linkUser|linkOrAdmit)$/, 'issueLink for a one-time link, identify for an identity at a provider'],
  [/^(HandedOver|notHandedOver|handedOverTo)$/, 'SecretLocations, keyNotWritten'],
  [/^(beingMade|retagged|shownOf|troubleOf|troubleIn|carryOut)$/, 'a verb, or the noun of what is returned'],
];

/** A path under the project's folder, and what to call the file instead. */
const paths: readonly (readonly [RegExp, string])[] = [
  [/\/demand-[\w-]+\.\w+$/, 'require-….ts'],
  [/\/(open-)?exchange\.ts$/, 'request-context.ts'],
  [/\/visit\.ts$/, 'page-context.ts'],
  [/\/(answer-)?once\.ts$/, 'idempotent….ts'],
  [/\/kept-[\w-]+\.\w+$/, 'stored-…, …-cache, backed-up-…'],
  [/\/keep-[\w-]+\.\w+$/, 'back-up-…, maintain-…'],
  [/\/put-back-[\w-]+\.\w+$/, 'restore-….ts'],
  [/\/(gathering|gathered-reads|per-store)[\w.-]*\.ts$/, 'shared-work.ts, read-batcher.ts, shared-per-store.ts'],
  [/\/(many-hands|lanes)\.ts$/, 'for-each-concurrently.ts'],
  [/\/bell\.ts$/, 'wake-up-signal.ts'],
  [/\/settle-looks\.ts$/, 'apply-inspection-results.ts'],
  [
    /\/(enrol|register-again|mark-arrived|notice-[\w-]+|inspect-arrived)\.ts$/,
    'a verb of an import’s step: register, reuse, receive, inspect, publish, expire',
  ],
  [/\/require-room\.ts$/, 'require-disk-space.ts'],
  [/\/(photo-ways|photo-branches)\.ts$/, 'photo-query-plan.ts, photo-merge-sources.ts'],
  [/\/shown\.ts$/, '…-details.ts'],
  [/\/\w+-words\.tsx?$/, '…-labels, …-messages'],
  [/\/departed-[\w.-]+\.ts$/, 'tag-tombstones….ts'],
  [/\/(stray-rows|memory-stray-rows)[\w.-]*\.ts$/, 'orphan-rows….ts'],
  [/\/soundness[/.]/, 'integrity'],
  [/-remains\.ts$/, 'customer-rows.ts'],
  [/\/jobs\/cause\.ts$/, 'trace-context.ts'],
];

const files = folders.flatMap((folder) => filesIn(folder, /\.tsx?$/));
/** Beside the code that is shipped, the documents. */
const proseFiles = [
  ...files.filter((path) => !path.startsWith('test/')),
  ...['uploader/src', 'postgres/src', 'docs'].flatMap((folder) => filesIn(folder, /\.(tsx?|md)$/)),
];

/** Paths in a folder, without files that are generated. */
function filesIn(folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && name.test(entry.name) && !/^(api|operator)-(types|schemas)\.ts$/.test(entry.name),
    )
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

test('files are seen in every folder', () => {
  for (const folder of folders) expect(files.some((path) => path.startsWith(`${folder}/`))).toBe(true);
});

test('names that were given up have not come back', () => {
  const found = files.flatMap((path) => {
    const inNames = identifiersIn(readFileSync(join(root, path), 'utf8'), path.endsWith('x')).flatMap((name) =>
      insteadOf(identifiers, name).map((instead) => `${path}: ${name}, write ${instead}`),
    );
    const inPath = insteadOf(paths, `/${path}`).map((instead) => `${path}: the file’s name, write ${instead}`);
    return [...inPath, ...inNames];
  });
  expect(found).toEqual([]);
});

/** A word of prose, in comments, messages and documents, and what to write instead. */
const prose: readonly (readonly [RegExp, string])[] = [
  [
    /\b([Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody|[Ww]hoever)\b/g,
    'you, the owner, another request: who acts; or no one, someone, anyone, everyone',
  ],
  [/\bany more\b/gi, 'no longer'],
  [/\bfor ever\b/gi, 'without end, permanently'],
];

/** The places that remain: an account of machines that is called so. */
const remaining: Readonly<Record<string, number>> = { 'postgres/src/account.ts': 3 };

test('prose says who acts, in plain words', () => {
  // Migrations are not edited.
  const found = proseFiles
    .filter((path) => !path.includes('/migrations/'))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const words = prose.flatMap(([pattern, instead]) =>
        [...text.matchAll(pattern)].map(([word]) => `${path}: ${word}, write ${instead}`),
      );
      return words.length <= (remaining[path] ?? 0) ? [] : words;
    });
  expect(found).toEqual([]);
});

test('a doc comment begins with its subject or its verb', () => {
  const withoutSubject = proseFiles.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/\/\*\*\s+(?:\*\s+)?(What|How|Those|As|Of)\b/g)].map(
      ([, word]) => `${path}: ${word}`,
    ),
  );
  expect(withoutSubject).toEqual([]);
});

function insteadOf(list: readonly (readonly [RegExp, string])[], name: string): string[] {
  return list.flatMap(([pattern, instead]) => (pattern.test(name) ? [instead] : []));
}

/** Each identifier once: names in comments and texts are prose. */
function identifiersIn(text: string, isJsx: boolean): readonly string[] {
  const kind = isJsx ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, false, kind));
  return [...names];
}
