import extremum.ApiClient;
import extremum.ApiException;
import extremum.api.*;
import extremum.model.*;
import java.util.ArrayList;
import java.util.List;

/** The steps of a client, with what openapi-generator makes for Java. Prints a line for each: its name and what was read. */
public class Drive {
    private static final List<List<Double>> BOUNDS = List.of(List.of(-5.0, 5.0), List.of(-5.0, 5.0));
    private static final long SEED = Long.parseLong(System.getenv("SEED"));

    private static String functionId = "";
    private static String run = "";
    private static String study = "";
    private static List<StudyCandidatesCandidatesInner> candidates = new ArrayList<>();

    private interface Work {
        String run() throws Exception;
    }

    private static ApiClient client(String key) {
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("BASE"));
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
        return client;
    }

    private static String bits(Double first, List<Double> others) {
        StringBuilder text = new StringBuilder(String.format("%016x", Double.doubleToRawLongBits(first)));
        for (Double value : others) text.append(String.format(" %016x", Double.doubleToRawLongBits(value)));
        return text.toString();
    }

    private static void step(String name, Work work) {
        String text;
        try {
            text = work.run();
        } catch (Exception error) {
            text = "failed: " + error.toString().replaceAll("\\s+", " ");
        }
        System.out.println(name + " " + text);
    }

    private static String refusal(ApiClient client, Work call) throws Exception {
        try {
            call.run();
        } catch (ApiException error) {
            ErrorResponse told = client.getObjectMapper().readValue(error.getResponseBody(), ErrorResponse.class);
            String field = told.getError().getField();
            return error.getCode() + " " + told.getError().getCode() + " " + (field == null ? "-" : field);
        }
        return "accepted";
    }

    public static void main(String[] arguments) {
        ApiClient known = client(System.getenv("EXTREMUM_API_KEY"));
        ApiClient unknown = client(System.getenv("WRONG_KEY"));
        OptimizationApi runs = new OptimizationApi(known);
        AdvancedApi studies = new AdvancedApi(known);

        step("upload", () -> {
            UploadFunctionRequest request =
                new UploadFunctionRequest().name("valley").code(System.getenv("CODE")).language("python");
            functionId = new FunctionsApi(known).uploadFunction(request, null).getId();
            return functionId;
        });
        step("optimize", () -> {
            OptimizeRequest request =
                new OptimizeRequest().objectiveFunctionId(functionId).bounds(BOUNDS).maxEvaluations(300L).seed(SEED);
            Optimization made = runs.optimize(request, "wait=60", null);
            run = made.getId();
            return run + " " + made.getSeed();
        });
        step("read", () -> {
            Optimization found = runs.getOptimization(run);
            return bits(found.getBestFitness(), found.getBestSolution());
        });
        step("list", () -> {
            ListOptimizations200Response page = runs.listOptimizations(1L, null, null, null, null, null, null, null);
            return page.getTotal() + " " + page.getData().get(0).getId();
        });
        step("study", () -> {
            CreateStudyRequest request = new CreateStudyRequest().bounds(BOUNDS).maxEvaluations(50L).seed(SEED);
            Study made = studies.createStudy(request, null);
            study = made.getId();
            return study + " " + made.getSeed();
        });
        step("ask", () -> {
            candidates = studies.askStudy(study, new AskStudyRequest().count(3L), null).getCandidates();
            return String.valueOf(candidates.size());
        });
        step("tell", () -> {
            TellStudyRequest request = new TellStudyRequest();
            for (StudyCandidatesCandidatesInner one : candidates) {
                double sum = 0;
                for (double value : one.getSolution()) sum += value * value;
                ValuesOfCandidate values = new ValuesOfCandidate().id(one.getId()).values(List.of(sum));
                request.addResultsItem(new TellStudyRequestResultsInner(values));
            }
            return String.valueOf(studies.tellStudy(study, request, null).getAccepted());
        });
        step("best", () -> {
            StudyBest best = studies.getStudyBest(study);
            return bits(best.getBestFitness(), best.getBestSolution());
        });
        step("webhook", () -> refusal(known, () -> {
            CreateWebhookRequest request =
                new CreateWebhookRequest().url(java.net.URI.create("http://example.com/hook"));
            return new WebhooksApi(known).createWebhook(request.addEventsItem(CreateWebhookRequest.EventsEnum.STAR), null).getId();
        }));
        step("key", () -> refusal(unknown, () ->
            new OptimizationApi(unknown).listOptimizations(null, null, null, null, null, null, null, null).toString()));
    }
}
