// Labels of one assessor: kept in the browser after every change, exported as a table that `diveval track labels` reads.
(() => {
  "use strict";
  const element = (id) => document.getElementById(id);
  const source = element("data");
  const pool = JSON.parse(source.textContent);
  const key = `diveval-labels-${pool.track}-${pool.assessor}-${source.dataset.pool}`;
  const HEADER = ["assessor", "topic", "aspect", "document", "label"];
  const labels = new Map();
  const undo = [];
  const place = { topic: 0, document: 0, aspect: 0 };
  let exported = true;

  const name = (topic, aspect, doc) => JSON.stringify([topic.id, aspect.id, doc.id]);
  const topicNow = () => pool.topics[place.topic];
  const documentNow = () => topicNow().documents[place.document];
  const total = pool.topics.reduce((sum, topic) => sum + topic.documents.length * topic.aspects.length, 0);
  const isDone = (topic, doc) => topic.aspects.every((aspect) => labels.has(name(topic, aspect, doc)));

  function warn(text) {
    element("warning").textContent = text;
    element("warning").hidden = !text;
  }

  function keep() {
    try {
      localStorage.setItem(key, JSON.stringify([...labels]));
    } catch {
      warn("This browser keeps no labels for this page: export them before you close it.");
    }
  }

  function recall() {
    try {
      for (const [item, label] of JSON.parse(localStorage.getItem(key) || "[]")) labels.set(item, label);
    } catch {
      warn("This browser keeps no labels for this page: export them before you close it.");
    }
  }

  function change(item, label) {
    undo.push([item, labels.get(item)]);
    if (label === undefined) labels.delete(item);
    else labels.set(item, label);
    exported = false;
  }

  function make(tag, text, parent, attributes = {}) {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
    parent.append(made);
    return made;
  }

  function show() {
    const topic = topicNow();
    const doc = documentNow();
    element("topic").value = String(place.topic);
    element("query").textContent = topic.query || `Topic ${topic.id}`;
    element("description").textContent = topic.description;
    element("position").textContent = `document ${place.document + 1} of ${topic.documents.length}`;
    element("heading").textContent = doc.title || doc.id;
    element("identity").textContent = [doc.title ? doc.id : "", doc.url].filter(Boolean).join(" · ");
    element("text").textContent = doc.snippet || "";
    showLabels(topic, doc);
    showProgress();
  }

  function showLabels(topic, doc) {
    const form = element("labels");
    form.replaceChildren();
    topic.aspects.forEach((aspect, number) => {
      const field = make("fieldset", "", form, { class: number === place.aspect ? "marked" : "" });
      const legend = make("legend", "", field);
      make("small", aspect.text ? aspect.id : "", legend);
      legend.append(aspect.text || (topic.aspects.length > 1 ? aspect.id : "Relevance"));
      const grades = make("div", "", field, { class: "grades" });
      for (let grade = 0; grade <= pool.highest; grade += 1) {
        const label = make("label", "", grades);
        const input = make("input", "", label, { type: "radio", name: `a${number}`, value: grade });
        input.checked = labels.get(name(topic, aspect, doc)) === grade;
        input.addEventListener("change", () => {
          place.aspect = number;
          change(name(topic, aspect, doc), grade);
          keep();
          show();
          element("labels").querySelectorAll("fieldset")[number].querySelector(`[value="${grade}"]`).focus();
        });
        make("span", String(grade), label);
      }
    });
  }

  function showProgress() {
    element("done").max = total;
    element("done").value = labels.size;
    element("count").textContent = `${labels.size} of ${total} labels${exported ? "" : ", not exported yet"}`;
    for (const option of element("topic").options) {
      const topic = pool.topics[Number(option.value)];
      const left = topic.documents.filter((doc) => !isDone(topic, doc)).length;
      option.textContent = `${topic.id} ${topic.query} (${left ? `${left} of ${topic.documents.length} left` : "done"})`;
    }
  }

  function go(topic, doc, aspect = 0) {
    Object.assign(place, { topic, document: doc, aspect });
    show();
  }

  function move(step) {
    const next = place.document + step;
    if (next >= 0 && next < topicNow().documents.length) go(place.topic, next);
    else if (step > 0 && place.topic + 1 < pool.topics.length) go(place.topic + 1, 0);
    else if (step < 0 && place.topic > 0) go(place.topic - 1, pool.topics[place.topic - 1].documents.length - 1);
  }

  function openNext() {
    const order = pool.topics.flatMap((topic, t) => topic.documents.map((doc, d) => [t, d]));
    const here = order.findIndex(([t, d]) => t === place.topic && d === place.document);
    for (let step = 1; step <= order.length; step += 1) {
      const [t, d] = order[(here + step) % order.length];
      if (!isDone(pool.topics[t], pool.topics[t].documents[d])) return go(t, d);
    }
    return show();
  }

  function grade(value) {
    const topic = topicNow();
    if (value > pool.highest) return;
    change(name(topic, topic.aspects[place.aspect], documentNow()), value);
    keep();
    if (place.aspect + 1 < topic.aspects.length) go(place.topic, place.document, place.aspect + 1);
    else move(1);
    showProgress();
  }

  function restNothing() {
    const topic = topicNow();
    const doc = documentNow();
    for (const aspect of topic.aspects) {
      if (!labels.has(name(topic, aspect, doc))) change(name(topic, aspect, doc), 0);
    }
    keep();
    move(1);
    showProgress();
  }

  function takeBack() {
    const last = undo.pop();
    if (!last) return;
    const [item, before] = last;
    if (before === undefined) labels.delete(item);
    else labels.set(item, before);
    keep();
    const [topicId, , documentId] = JSON.parse(item);
    const t = pool.topics.findIndex((topic) => topic.id === topicId);
    go(
      t,
      pool.topics[t].documents.findIndex((doc) => doc.id === documentId),
    );
  }

  const quote = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  function exportLabels() {
    const lines = [HEADER.join(",")];
    for (const topic of pool.topics) {
      for (const doc of topic.documents) {
        for (const aspect of topic.aspects) {
          const label = labels.get(name(topic, aspect, doc));
          if (label !== undefined) {
            lines.push([pool.assessor, topic.id, aspect.id, doc.id, String(label)].map(quote).join(","));
          }
        }
      }
    }
    const address = URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], { type: "text/csv" }));
    make("a", "", document.body, { href: address, download: `labels-${pool.assessor}.csv`, hidden: "" }).click();
    exported = true;
    showProgress();
  }

  function cells(line) {
    return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
      quoted === undefined ? plain : quoted.replaceAll('""', '"'),
    );
  }

  async function resume(file) {
    const lines = (await file.text())
      .replace(/^\ufeff/, "")
      .split(/\r?\n/)
      .filter(Boolean)
      .map(cells);
    if (lines.length === 0 || lines[0].join() !== HEADER.join()) {
      warn(`${file.name}: expected a file that this page exported.`);
      return;
    }
    const known = new Set();
    for (const topic of pool.topics) {
      for (const doc of topic.documents) for (const aspect of topic.aspects) known.add(name(topic, aspect, doc));
    }
    let taken = 0;
    let skipped = 0;
    for (const [assessor, topic, aspect, doc, label] of lines.slice(1)) {
      const item = JSON.stringify([topic, aspect, doc]);
      if (label === "") continue;
      if (assessor === pool.assessor && known.has(item) && /^\d$/.test(label) && Number(label) <= pool.highest) {
        change(item, Number(label));
        taken += 1;
      } else {
        skipped += 1;
      }
    }
    keep();
    warn(
      `${file.name}: ${taken} labels taken${skipped ? `, ${skipped} lines of another assessor or pool left out` : ""}.`,
    );
    show();
  }

  function mark(step) {
    const last = topicNow().aspects.length - 1;
    place.aspect = Math.min(Math.max(place.aspect + step, 0), last);
    show();
    element("labels").children[place.aspect].scrollIntoView({ block: "nearest" });
  }

  const KEYS = {
    ArrowRight: () => move(1),
    ArrowLeft: () => move(-1),
    ArrowDown: () => mark(1),
    ArrowUp: () => mark(-1),
    n: openNext,
    z: restNothing,
    u: takeBack,
    Delete: () => {
      change(name(topicNow(), topicNow().aspects[place.aspect], documentNow()), undefined);
      keep();
      show();
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const action = /^[0-9]$/.test(event.key) ? () => grade(Number(event.key)) : KEYS[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  element("topic").addEventListener("change", (event) => go(Number(event.target.value), 0));
  element("before").addEventListener("click", () => move(-1));
  element("after").addEventListener("click", () => move(1));
  element("open").addEventListener("click", openNext);
  element("export").addEventListener("click", exportLabels);
  element("resume").addEventListener("change", (event) => event.target.files[0] && resume(event.target.files[0]));
  element("labels").addEventListener("submit", (event) => event.preventDefault());
  element("theme").addEventListener("click", () => {
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  });
  window.addEventListener("beforeunload", (event) => {
    if (!exported) event.preventDefault();
  });

  if (window.matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.dataset.theme = "dark";
  pool.topics.forEach((topic, number) => make("option", topic.id, element("topic"), { value: number }));
  recall();
  if (labels.size) openNext();
  else show();
})();
