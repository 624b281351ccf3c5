// Segmentations as the server writes them: parts with labels, separated by spaces; parts with gaps have positions.
const escapes = { "\\": "\\\\", "/": "\\/", "@": "\\@", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const unescapes = { s: " ", t: "\t", n: "\n", r: "\r" };

const escaped = (text) => {
  const safe = text.replace(/[\\/@ \t\n\r]/g, (c) => escapes[c]);
  return /^[+#]/.test(text) ? "\\" + safe : safe;
};
const unescaped = (text) => text.replace(/\\(.)/gs, (_, c) => unescapes[c] ?? c);

const TOKEN = /^\+?((?:[^\\/@]|\\.)*)(?:@([0-9,]*))?(?:\/(.*))?$/s;

// [{ text, label, positions }], positions counted in atoms; null where the parts follow one another.
export function read(segmentation) {
  return segmentation.split(" ").map((token) => {
    const [, text, positions, label] = TOKEN.exec(token) ?? [null, token];
    return { text: unescaped(text), label: unescaped(label ?? ""), positions: positions ? positions.split(",").map(Number) : null };
  });
}

// Of each atom of the word: where a piece begins, and the label of its piece.
export function pieces(segmentation, atoms) {
  const owner = new Array(atoms.length).fill(0);
  const listed = read(segmentation);
  if (listed[0].positions) listed.forEach((p, i) => p.positions.forEach((at) => { owner[at] = i; }));
  else {
    let at = 0, done = 0;
    listed.forEach((p, i) => {
      done += p.text.length;
      for (let length = atoms.slice(0, at).join("").length; length < done && at < atoms.length; at++) {
        owner[at] = i;
        length += atoms[at].length;
      }
    });
  }
  const borders = new Set([...owner.keys()].filter((i) => i && owner[i] !== owner[i - 1]));
  return { borders, labels: owner.map((i) => listed[i]?.label ?? "") };
}

// The parts between borders, each with the label of its first atom.
export function cut(atoms, borders, labels) {
  const made = [];
  atoms.forEach((atom, i) => {
    if (i === 0 || borders.has(i)) made.push({ text: "", label: labels[i], begin: i, positions: [] });
    made.at(-1).text += atom;
    made.at(-1).positions.push(i);
  });
  return made;
}

// As the server reads it. Stems around an infix are one stem, the halves of a circumfix are one.
export function write(made) {
  const joined = [];
  let gaps = false;
  made.forEach((piece, i) => {
    const around = made[i - 1]?.label === "inf" && ["stem", "redup"].includes(made[i - 2]?.label) && piece.label === made[i - 2].label;
    const host = around ? joined.find((p) => p.first === made[i - 2].begin) : piece.label === "circ" ? joined.find((p) => p.label === "circ") : null;
    if (host) {
      host.text += piece.text;
      host.positions.push(...piece.positions);
      gaps = true;
    } else joined.push({ text: piece.text, label: piece.label, positions: [...piece.positions], first: piece.begin });
  });
  return joined.map((p) => escaped(p.text) + (gaps ? "@" + p.positions.join(",") : "") + (p.label ? "/" + escaped(p.label) : "")).join(" ");
}
