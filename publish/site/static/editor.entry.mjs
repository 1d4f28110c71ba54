/* The editor of an exercise: CodeMirror with Python, in the colours of the page. esbuild makes one script of it. */
import {
	defaultKeymap,
	history,
	historyKeymap,
	indentWithTab,
	invertedEffects,
	isolateHistory,
} from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import {
	bracketMatching,
	HighlightStyle,
	indentOnInput,
	indentUnit,
	syntaxHighlighting,
} from "@codemirror/language";
import {
	highlightSelectionMatches,
	search,
	searchKeymap,
} from "@codemirror/search";
import {
	EditorState,
	MapMode,
	Prec,
	StateEffect,
	Transaction,
} from "@codemirror/state";
import {
	drawSelection,
	EditorView,
	keymap,
	lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
	{
		tag: [tags.keyword, tags.bool, tags.null, tags.operatorKeyword],
		color: "var(--code-key)",
	},
	{ tag: tags.string, color: "var(--code-text)" },
	{ tag: tags.number, color: "var(--code-number)" },
	{ tag: tags.comment, color: "var(--code-note)", fontStyle: "italic" },
]);

const look = EditorView.theme({
	"&": {
		color: "var(--text)",
		backgroundColor: "var(--ground)",
		border: "1px solid var(--line)",
		borderRadius: "6px",
	},
	"&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "2px" },
	".cm-scroller": {
		fontFamily:
			'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
		lineHeight: "1.45",
	},
	".cm-content": { caretColor: "var(--text)" },
	".cm-cursor": { borderLeftColor: "var(--text)" },
	".cm-gutters": {
		color: "var(--quiet)",
		backgroundColor: "var(--soft)",
		border: "none",
	},
	"&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
		{
			backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)",
		},
	"&.cm-focused .cm-matchingBracket": {
		backgroundColor: "color-mix(in srgb, var(--right) 30%, transparent)",
	},
	".cm-searchMatch, .cm-selectionMatch": {
		backgroundColor: "color-mix(in srgb, var(--mark) 60%, transparent)",
	},
	".cm-panels": { color: "var(--text)", backgroundColor: "var(--soft)" },
	".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
	".cm-textfield, .cm-button": {
		color: "var(--text)",
		background: "var(--ground)",
		border: "1px solid var(--line)",
	},
});

// After Escape, Tab moves on until something is typed or the editor is entered again, however long that takes.
const leaving = [
	keymap.of([
		{
			key: "Escape",
			run: (view) => {
				view.setTabFocusMode(true);
				return false;
			},
		},
	]),
	EditorView.updateListener.of(
		(update) => update.docChanged && update.view.setTabFocusMode(false),
	),
	EditorView.domEventHandlers({
		focus: (_event, view) => {
			view.setTabFocusMode(false);
			return false;
		},
	}),
];

// What does not come by typing is a step of Undo; it is known when Undo or Redo takes it back.
const put = StateEffect.define();
const takesBack = (tr) =>
	tr.annotation(Transaction.userEvent) && tr.effects.some((one) => one.is(put));

/** Put an editor into `parent`, named `label` for screen readers; Ctrl+Enter, Cmd+Enter or Shift+Enter calls `onCheck`, a change
    `onChange`, with the code before if Undo or Redo took back what was put here, and `onFocus` is called when it gets the focus. */
const create = ({
	parent,
	doc,
	label,
	onCheck,
	onChange = () => {},
	onFocus = () => {},
}) => {
	const check = () => {
		onCheck();
		return true;
	};
	let pasted = []; // the places of signs that came from elsewhere and that no key of an English keyboard types
	const follow = ({ changes, transactions }) => {
		pasted = pasted
			.map((at) => changes.mapPos(at, 1, MapMode.TrackAfter))
			.filter((at) => at !== null);
		if (transactions.some((tr) => tr.isUserEvent("input.paste")))
			changes.iterChanges((_a, _b, from, _to, text) => {
				for (const { index } of text.toString().matchAll(/[^\t\n -~]/g))
					pasted.push(from + index);
			});
	};
	const view = new EditorView({
		parent,
		state: EditorState.create({
			doc,
			extensions: [
				Prec.highest(
					keymap.of([
						{ key: "Mod-Enter", run: check },
						{ key: "Ctrl-Enter", run: check },
						{ key: "Shift-Enter", run: check },
					]),
				),
				leaving,
				EditorView.domEventHandlers({
					focus: () => {
						onFocus();
						return false;
					},
				}),
				lineNumbers(),
				history(),
				drawSelection(),
				indentUnit.of("    "),
				EditorState.tabSize.of(4),
				indentOnInput(),
				bracketMatching(),
				EditorView.lineWrapping,
				search(),
				highlightSelectionMatches(),
				pythonLanguage,
				syntaxHighlighting(colours),
				look,
				EditorView.contentAttributes.of({
					"aria-label": label,
					tabindex: "0",
					translate: "no",
				}), // said, too: axe asks what scrolls by keyboard
				EditorView.updateListener.of((update) => {
					if (!update.docChanged) return;
					follow(update);
					onChange(
						update.transactions.some(takesBack) &&
							update.startState.doc.toString(),
					);
				}),
				invertedEffects.of(({ effects }) =>
					effects.filter((one) => one.is(put)),
				),
				keymap.of([
					indentWithTab,
					...defaultKeymap,
					...historyKeymap,
					...searchKeymap,
				]),
			],
		}),
	});
	return {
		text: () => view.state.doc.toString(),
		pasted: () => pasted.map((at) => [...view.state.sliceDoc(0, at)].length), // as Python counts
		setText: (text) =>
			view.dispatch({
				changes: { from: 0, to: view.state.doc.length, insert: text },
				effects: put.of(null),
				annotations: isolateHistory.of("full"),
			}),
		focus: () => view.focus(),
	};
};

window.courseEditor = { create };
