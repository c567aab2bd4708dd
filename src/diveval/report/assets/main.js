/* The report: its data is in the page, computed by Python; here each section gets its part. */
(function () {
  const data = JSON.parse(diveval.$("data").textContent);
  diveval.theme();
  diveval.$("title").textContent = data.title;
  diveval.$("summary").textContent = data.summary;
  diveval.leaderboard(data);
  const show = diveval.inspector(data);
  diveval.topics(data, (topic, run) => {
    show(topic, run);
    diveval.$("inspector").scrollIntoView();
  });
  diveval.metrics(data);
  diveval.axioms(data);
  diveval.parameters(data);
  diveval.made(data);
})();
